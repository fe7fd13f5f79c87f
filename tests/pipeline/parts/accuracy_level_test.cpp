// Tests what the levels of --accuracy imply.
#include "pipeline/parts/accuracy_level.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

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

TEST(WithLevel, ChoosesFamiliesAndCorrectsBiasesForBestAlone) {
  const QuantizeOptions best = with_level(asked(Accuracy::Best, true));
  EXPECT_EQ(best.equalize.equalize, "auto");
  EXPECT_EQ(best.equalize.bias_correction, true);
  for (const Accuracy level : {Accuracy::Fast, Accuracy::Balanced}) {
    const QuantizeOptions options = with_level(asked(level, true));
    EXPECT_EQ(options.equalize.equalize, level == Accuracy::Fast ? "" : "outliers") << name_of(level);
    EXPECT_FALSE(options.equalize.bias_correction.value_or(false)) << name_of(level);
  }
}

TEST(WithLevel, EvensOutliersForInt8AndNotForFp8) {
  QuantizeOptions options = asked(Accuracy::Balanced, true);
  options.placement.type = CodeType::Fp8;
  EXPECT_EQ(with_level(options).equalize.equalize, "");
}

TEST(WithLevel, LeavesBiasesThatTheUserWantsLeft) {
  QuantizeOptions options = asked(Accuracy::Best, true);
  options.equalize.bias_correction = false;
  EXPECT_EQ(with_level(options).equalize.bias_correction, false);
  options.equalize.bias_correction.reset();
  EXPECT_EQ(with_level(options).equalize.bias_correction, true);
}

TEST(WithLevel, DoesNotEqualizeOrCorrectBiasesWithoutData) {
  QuantizeOptions options = asked(Accuracy::Best, false);
  options.table = "table.dct";
  const QuantizeOptions best = with_level(options);
  EXPECT_EQ(best.equalize.equalize, "");
  EXPECT_FALSE(best.equalize.bias_correction.value_or(false));
}

TEST(WithLevel, LeavesTheEqualizationOfATableAndTheUsersOwn) {
  QuantizeOptions by_table = asked(Accuracy::Best, true);
  by_table.table = "table.dct";
  EXPECT_EQ(with_level(by_table).equalize.equalize, "") << "whatever the table was measured with";
  EXPECT_EQ(with_level(by_table).equalize.bias_correction, true);
  QuantizeOptions by_user = asked(Accuracy::Best, true);
  by_user.equalize.equalize = "off";
  EXPECT_EQ(with_level(by_user).equalize.equalize, "off");
}

TEST(AccuracyLevel, RoundsWeightsOfFp8ByDefaultAndAllForBest) {
  EXPECT_FALSE(level_of().rounds_weights_of(CodeType::Int8));
  EXPECT_TRUE(level_of().rounds_weights_of(CodeType::Fp8));
  EXPECT_FALSE(level_of(Accuracy::Fast).rounds_weights_of(CodeType::Fp8));
  EXPECT_TRUE(level_of(Accuracy::Best).rounds_weights_of(CodeType::A16W8));
}

}  // namespace
}  // namespace detent
