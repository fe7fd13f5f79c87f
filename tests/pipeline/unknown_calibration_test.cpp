// A table of imported scales does not say which samples they were measured on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class UnknownCalibration : public SmallNetwork {
 protected:
  /// The scales of these samples as a cache of TensorRT, and the table that is made of it.
  [[nodiscard]] std::filesystem::path imported_table(const std::string& data) const {
    const CacheExportOptions exported{.table = table(options(data).data, "own.dct"), .output = folder_ / "cache"};
    static_cast<void>(export_cache(exported));
    const CacheImportOptions import{
        .cache = exported.output, .model = folder_ / "model.onnx", .output = folder_ / "imported.dct"};
    static_cast<void>(import_cache(import));
    return import.output;
  }
};

TEST_F(UnknownCalibration, MakesNoClaimOfOtherSamples) {
  const std::string data = samples("data", std::vector<float>(12, 1.5F));
  QuantizeOptions given = options(data);
  given.table = imported_table(data);
  const QuantizeReport report = quantize_model(given);
  ASSERT_TRUE(report.error.has_value());
  EXPECT_THAT(report.error_source, Not(HasSubstr("not calibrated"))) << "the cache was made of these very samples";
  EXPECT_THAT(report.error_source, Not(HasSubstr("calibration samples"))) << "nor does anyone know that";
}

TEST_F(UnknownCalibration, IsNotThatOfATableThatNamesItsSamples) {
  const std::string data = samples("data", std::vector<float>(12, 1.5F));
  QuantizeOptions given = options(data);
  DataOptions some = given.data;
  some.limit = 4;
  given.table = table(some, "four.dct");
  EXPECT_THAT(quantize_model(given).error_source, HasSubstr("not calibrated"));
}

}  // namespace
}  // namespace detent
