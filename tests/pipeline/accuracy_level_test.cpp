// What --accuracy fills in, and which samples the closing error is measured on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "calibrate/calibration.h"
#include "pipeline/parts/closing_samples.h"
#include "pipeline/parts/improve.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

QuantizeOptions asked(Accuracy level, bool data) {
  QuantizeOptions options;
  options.accuracy = level;
  if (data) options.data.sources = {"random:normal"};
  return options;
}

TEST(WithLevel, MeasuresTheCalibratorWhereThereIsDataButNotForFast) {
  EXPECT_EQ(with_level(asked(Accuracy::Fast, true)).calibrator, kSafeCalibrator);
  EXPECT_EQ(with_level(asked(Accuracy::Balanced, true)).calibrator, "auto");
  EXPECT_EQ(with_level(asked(Accuracy::Best, true)).calibrator, "auto");
}

TEST(WithLevel, TakesTheSafeCalibratorWithoutData) {
  for (const Accuracy level : {Accuracy::Fast, Accuracy::Balanced, Accuracy::Best})
    EXPECT_EQ(with_level(asked(level, false)).calibrator, kSafeCalibrator) << name_of(level);
}

TEST(WithLevel, KeepsACalibratorThatWasNamed) {
  for (const Accuracy level : {Accuracy::Fast, Accuracy::Balanced, Accuracy::Best})
    for (const bool data : {false, true}) {
      QuantizeOptions options = asked(level, data);
      options.calibrator = "percentile:99.9";
      EXPECT_EQ(with_level(options).calibrator, "percentile:99.9") << name_of(level);
    }
}

TEST(WithLevel, EqualizesAndCorrectsBiasesForBestAlone) {
  const QuantizeOptions best = with_level(asked(Accuracy::Best, true));
  EXPECT_EQ(best.equalize.equalize, "auto");
  EXPECT_TRUE(best.equalize.bias_correction);
  for (const Accuracy level : {Accuracy::Fast, Accuracy::Balanced}) {
    const QuantizeOptions options = with_level(asked(level, true));
    EXPECT_EQ(options.equalize.equalize, "") << name_of(level);
    EXPECT_FALSE(options.equalize.bias_correction) << name_of(level);
  }
}

TEST(WithLevel, DoesNotEqualizeOrCorrectBiasesWithoutData) {
  QuantizeOptions options = asked(Accuracy::Best, false);
  options.table = "table.dct";
  const QuantizeOptions best = with_level(options);
  EXPECT_EQ(best.equalize.equalize, "");
  EXPECT_FALSE(best.equalize.bias_correction);
}

TEST(WithLevel, LeavesTheEqualizationOfATableAndTheUsersOwn) {
  QuantizeOptions by_table = asked(Accuracy::Best, true);
  by_table.table = "table.dct";
  EXPECT_EQ(with_level(by_table).equalize.equalize, "") << "whatever the table was measured with";
  EXPECT_TRUE(with_level(by_table).equalize.bias_correction);
  QuantizeOptions by_user = asked(Accuracy::Best, true);
  by_user.equalize.equalize = "off";
  EXPECT_EQ(with_level(by_user).equalize.equalize, "off");
}

/// Which samples the closing error would be measured on.
struct Closing {
  std::vector<std::string> names;  ///< of all samples of the source
  std::vector<std::string> calibrated;
  bool calibrated_with = false;
  std::string what;
  size_t most = 0;
};

class ClosingSamplesOf : public SmallNetwork {
 protected:
  /// `count` samples s00.npy ...
  [[nodiscard]] std::string folder_of(size_t count) const {
    return samples("data" + std::to_string(count), std::vector<float>(count, 1.5F));
  }
  [[nodiscard]] static Closing closing(const QuantizeOptions& given) {
    detent::Setup setup = set_up({given.model,
                                  given.data,
                                  given.table,
                                  given.override_file,
                                  given.target,
                                  given.placement,
                                  given.format,
                                  given.equalize,
                                  {given.calibrator},
                                  given.run,
                                  given.outliers});
    const Calibration calibration = setup.calibrate_plan();
    const ClosingSamples found = closing_samples(given, setup, calibration);
    Closing result{{}, calibration.sample_names, found.calibrated_with, found.what, found.most};
    for (size_t i = 0; found.source && i < found.source->size(); ++i)
      result.names.push_back(found.source->sample_name(i));
    return result;
  }
};

TEST_F(ClosingSamplesOf, TheCalibrationWhereThereAreNoOthers) {
  const Closing found = closing(options(folder_of(12)));
  EXPECT_THAT(found.names, SizeIs(12));
  EXPECT_TRUE(found.calibrated_with);
  EXPECT_EQ(found.what, "calibration samples");
  EXPECT_EQ(found.most, QuantizeOptions{}.error_samples);
}

TEST_F(ClosingSamplesOf, ThoseBeyondTheLimitWhereThereAreEight) {
  QuantizeOptions given = options(folder_of(12));
  given.data.limit = 4;
  const Closing found = closing(given);
  EXPECT_THAT(found.names,
              ElementsAre("s04.npy", "s05.npy", "s06.npy", "s07.npy", "s08.npy", "s09.npy", "s10.npy", "s11.npy"));
  EXPECT_FALSE(found.calibrated_with);
  EXPECT_EQ(found.what, "samples that were not calibrated with");
}

TEST_F(ClosingSamplesOf, TheCalibrationWhereSevenLieBeyondTheLimit) {
  QuantizeOptions given = options(folder_of(12));
  given.data.limit = 5;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, ElementsAre("s00.npy", "s01.npy", "s02.npy", "s03.npy", "s04.npy"));
  EXPECT_TRUE(found.calibrated_with);
  given.data.limit = 99;
  EXPECT_THAT(closing(given).names, SizeIs(12));
}

TEST_F(ClosingSamplesOf, OthersThanThoseOfAShuffledCalibration) {
  QuantizeOptions given = options(folder_of(20));
  given.data.limit = 12;
  given.data.shuffle = 7;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(8));
  std::vector<std::string> all = found.names;
  all.insert(all.end(), found.calibrated.begin(), found.calibrated.end());
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 20U) << "each sample is in one of the two";
}

TEST_F(ClosingSamplesOf, TheCalibrationOfAShard) {
  QuantizeOptions given = options(folder_of(20));
  given.data.limit = 6;
  given.data.shard_count = 2;
  const Closing found = closing(given);
  EXPECT_THAT(found.names, ElementsAre("s00.npy", "s02.npy", "s04.npy"));
  EXPECT_TRUE(found.calibrated_with);
}

TEST_F(ClosingSamplesOf, AnEvaluationAreAllOfItAndComeFirst) {
  QuantizeOptions given = options(folder_of(20));
  given.data.limit = 4;
  given.error_samples = 2;
  given.bound.evaluation.data.sources = {folder_of(3)};
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(3));
  EXPECT_EQ(found.most, 3U);
  EXPECT_FALSE(found.calibrated_with);
  EXPECT_EQ(found.what, "evaluation samples");
}

TEST_F(ClosingSamplesOf, ThoseThatATableDoesNotNameWhereThereAreEight) {
  QuantizeOptions given = options(folder_of(12));
  DataOptions some = given.data;
  some.limit = 4;
  given.table = table(some, "four.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(8));
  EXPECT_EQ(found.names.front(), "s04.npy");
  EXPECT_FALSE(found.calibrated_with);
  EXPECT_EQ(found.what, "samples that were not calibrated with");
}

TEST_F(ClosingSamplesOf, AllTheDataBesideATableThatNamesAllButSeven) {
  QuantizeOptions given = options(folder_of(12));
  DataOptions some = given.data;
  some.limit = 5;
  given.table = table(some, "five.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(12));
  EXPECT_TRUE(found.calibrated_with);
}

TEST_F(ClosingSamplesOf, ATableAloneAreNone) {
  QuantizeOptions given = options("");
  given.table = table(options(folder_of(12)).data, "all.dct");
  const Closing found = closing(given);
  EXPECT_THAT(found.names, SizeIs(0));
  EXPECT_EQ(found.what, "");
}

}  // namespace
}  // namespace detent
