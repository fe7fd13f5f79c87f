// A cache is written from the same table as a model: the same scales.
#include <gtest/gtest.h>

#include <map>

#include "calibrate/tensorrt_cache.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

class ClippedCache : public SmallNetwork {
 protected:
  /// Ten samples; s04.npy reaches as far as `planted`, the others from 1 to 25/16.
  [[nodiscard]] std::filesystem::path table_of(float planted) const {
    std::vector<float> reaches;
    for (size_t i = 0; i < 10; ++i) reaches.push_back(1 + static_cast<float>(i) / 16);
    reaches[4] = planted;
    return table(options(samples("data", reaches)).data, "table.dct");
  }
  /// Compares the scales of the model that is written by default from this table with those of the cache.
  void expect_same_scales(const std::filesystem::path& table) const {
    QuantizeOptions given = options("");
    given.table = table;
    const CacheExportOptions exported{.table = table, .output = folder_ / "cache", .calibrator = given.calibrator};
    static_cast<void>(export_cache(exported));
    const auto cache = parse_tensorrt_cache(TemporaryFolder::read(exported.output));
    const QuantizeReport report = quantize_model(given);
    ASSERT_EQ(report.values.size(), 4U);
    for (const auto& value : report.values) EXPECT_EQ(cache.scales.at(value.name), value.scale) << value.name;
  }
};

TEST_F(ClippedCache, HoldsTheScalesOfTheModelWhereSamplesAreAlike) { expect_same_scales(table_of(1.25F)); }

TEST_F(ClippedCache, HoldsTheScalesOfTheModelWhereAnOutlierIsClipped) { expect_same_scales(table_of(20)); }

}  // namespace
}  // namespace detent
