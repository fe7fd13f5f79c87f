// Tests quantize --policy outliers over a folder in which one sample differs from the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "detent/base/error.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Smallest and largest number in the ranges of all quantized values.
using Ranges = std::map<std::string, std::pair<double, double>>;

Ranges ranges_of(const QuantizeReport& report) {
  Ranges ranges;
  for (const auto& value : report.values) ranges[value.name] = {value.min, value.max};
  return ranges;
}

constexpr float kFar = 20;
constexpr size_t kPlanted = 4;

/// Ten samples that reach from 1 to 25/16.
std::vector<float> usual_reaches(size_t count = 10) {
  std::vector<float> reaches;
  for (size_t i = 0; i < count; ++i) reaches.push_back(1 + static_cast<float>(i) / 16);
  return reaches;
}

class Outliers : public SmallNetwork {
 protected:
  /// `count` samples of which s04.npy reaches to 20.
  [[nodiscard]] std::string with_outlier(size_t count = 10) const {
    std::vector<float> reaches = usual_reaches(count);
    reaches[kPlanted] = kFar;
    return samples("with" + std::to_string(count), reaches);
  }
  /// The same files except s04.npy.
  [[nodiscard]] std::string without_outlier() const {
    std::vector<float> reaches = usual_reaches();
    reaches[kPlanted] = -1;
    return samples("without", reaches);
  }
  [[nodiscard]] QuantizeReport quantize(const std::string& data, OutlierPolicy policy,
                                        const std::string& calibrator = "max") const {
    QuantizeOptions given = options(data);
    given.outliers = policy;
    given.calibrator = calibrator;
    return quantize_model(given);
  }
  [[nodiscard]] static std::string bytes(const QuantizeOptions& options) {
    static_cast<void>(quantize_model(options));
    return TemporaryFolder::read(options.output);
  }
};

TEST_F(Outliers, SetTheRangesWhereTheyAreKept) {
  const QuantizeReport kept = quantize(with_outlier(), OutlierPolicy::Keep);
  EXPECT_THAT(ranges_of(kept), SizeIs(4));
  EXPECT_EQ(ranges_of(kept).at("x"), std::pair(-20.0, 20.0));
  const Ranges others = ranges_of(quantize(without_outlier(), OutlierPolicy::Keep));
  for (const auto& [value, range] : ranges_of(kept)) EXPECT_GT(range.second, 10 * others.at(value).second) << value;
  ASSERT_THAT(kept.outliers.samples, SizeIs(1));
  EXPECT_EQ(kept.outliers.samples[0].sample, "s04.npy");
  EXPECT_EQ(kept.outliers.samples[0].values, 4U);
}

TEST_F(Outliers, ThatAreClippedLeaveTheLargestOfTheOthers) {
  const QuantizeReport clipped = quantize(with_outlier(), OutlierPolicy::Clip);
  EXPECT_EQ(ranges_of(clipped).at("x"), std::pair(-25.0 / 16, 25.0 / 16));
  EXPECT_EQ(ranges_of(clipped), ranges_of(quantize(without_outlier(), OutlierPolicy::Keep)));
  EXPECT_EQ(clipped.samples, 10U) << "it still counts";
  ASSERT_THAT(clipped.outliers.samples, SizeIs(1));
  EXPECT_EQ(clipped.outliers.samples[0].sample, "s04.npy");
}

TEST_F(Outliers, ThatAreClippedNeverLeaveMoreWhateverTheCalibrator) {
  const Ranges others = ranges_of(quantize(without_outlier(), OutlierPolicy::Keep));
  for (const char* calibrator : {"mse", "entropy", "percentile:99.9", "samplemax:100"})
    for (const auto& [value, range] : ranges_of(quantize(with_outlier(), OutlierPolicy::Clip, calibrator))) {
      EXPECT_LE(range.second, others.at(value).second) << calibrator << " " << value;
      EXPECT_GT(range.second, 0) << calibrator << " " << value;
    }
}

TEST_F(Outliers, ThatAreDroppedMightAsWellNotBeInTheFolder) {
  for (const char* calibrator : {"max", "mse", "entropy", "samplemax:50"}) {
    const QuantizeReport dropped = quantize(with_outlier(), OutlierPolicy::Drop, calibrator);
    const QuantizeReport absent = quantize(without_outlier(), OutlierPolicy::Drop, calibrator);
    EXPECT_EQ(ranges_of(dropped), ranges_of(absent)) << calibrator;
    EXPECT_EQ(dropped.provenance.ranges, absent.provenance.ranges) << calibrator;
    EXPECT_EQ(dropped.samples, 9U);
  }
}

TEST_F(Outliers, AreNotFoundWhereSamplesAreAlikeAndNoPolicyChangesAnything) {
  const std::string data = samples("alike", usual_reaches());
  const QuantizeReport kept = quantize(data, OutlierPolicy::Keep);
  EXPECT_THAT(kept.outliers.samples, IsEmpty());
  for (const OutlierPolicy policy : {OutlierPolicy::Clip, OutlierPolicy::Drop}) {
    const QuantizeReport report = quantize(data, policy);
    EXPECT_EQ(ranges_of(report), ranges_of(kept)) << name_of(policy);
    EXPECT_EQ(report.samples, 10U);
  }
}

TEST_F(Outliers, AreNotToldFromFewerThanEightSamples) {
  for (const OutlierPolicy policy : {OutlierPolicy::Clip, OutlierPolicy::Drop}) {
    const QuantizeReport seven = quantize(with_outlier(7), policy);
    EXPECT_EQ(ranges_of(seven).at("x").second, kFar) << name_of(policy);
    EXPECT_EQ(seven.samples, 7U);
    // Of eight the others reach to 1 + 7/16.
    EXPECT_EQ(ranges_of(quantize(with_outlier(8), policy)).at("x").second, 23.0 / 16) << name_of(policy);
  }
}

TEST_F(Outliers, GiveTheSameBytesInAnyOrderAndWithAnyThreads) {
  for (const OutlierPolicy policy : {OutlierPolicy::Clip, OutlierPolicy::Drop})
    for (const char* calibrator : {"max", "mse"}) {
      QuantizeOptions given = options(with_outlier());
      given.outliers = policy;
      given.calibrator = calibrator;
      const std::string expected = bytes(given);
      for (const uint64_t seed : {1, 2, 3}) {
        given.data.shuffle = seed;
        given.run.threads = seed;
        EXPECT_EQ(bytes(given), expected) << name_of(policy) << " " << calibrator << " " << seed;
      }
    }
}

TEST_F(Outliers, AreClippedInATableOfMergedShardsAsInTheData) {
  const QuantizeOptions from_data = options(with_outlier());
  MergeTablesOptions merge{.output = folder_ / "merged.dct"};
  for (const size_t shard : {1, 2}) {
    DataOptions data = from_data.data;
    data.shard_index = shard;
    data.shard_count = 2;
    merge.tables.push_back(table(data, "part" + std::to_string(shard) + ".dct"));
  }
  std::swap(merge.tables[0], merge.tables[1]);
  static_cast<void>(merge_tables(merge));
  for (const char* calibrator : {"max", "mse", "samplemax:50"}) {
    QuantizeOptions data = from_data;
    data.calibrator = calibrator;
    QuantizeOptions merged = options("");
    merged.calibrator = calibrator;
    merged.table = merge.output;
    EXPECT_EQ(bytes(merged), bytes(data)) << calibrator;
  }
}

TEST_F(Outliers, OfATableCannotBeDropped) {
  QuantizeOptions given = options("", "dropped.onnx");
  given.table = table(options(with_outlier()).data, "with.dct");
  given.outliers = OutlierPolicy::Drop;
  const Error error = error_of<Error>([&] { static_cast<void>(quantize_model(given)); });
  EXPECT_EQ(error.code(), ErrorCode::Usage);
  EXPECT_THAT(error.what(), ::testing::HasSubstr("--policy outliers=drop"));
  EXPECT_THAT(error.hint(), ::testing::HasSubstr("clip"));
  given.data.sources = {with_outlier()};
  EXPECT_EQ(error_of<Error>([&] { static_cast<void>(quantize_model(given)); }).code(), ErrorCode::Usage)
      << "samples beside a table do not make its histograms";
  EXPECT_FALSE(std::filesystem::exists(given.output));
}

TEST_F(Outliers, ThatATableDoesNotHaveNeedNotBeDropped) {
  QuantizeOptions given = options("");
  given.table = table(options(samples("alike", usual_reaches())).data, "alike.dct");
  given.outliers = OutlierPolicy::Drop;
  EXPECT_EQ(ranges_of(quantize_model(given)).at("x").second, 25.0 / 16);
}

}  // namespace
}  // namespace detent
