#include "tune/equalize/even_outliers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "place/engines/target.h"
#include "place/plan/placement_request.h"
#include "rewrite/format_options.h"
#include "run/memory_source.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "tune/equalize/judge_without_memory.h"
#include "tune/equalize/outlier_network.h"

namespace detent {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::optional<EqualizedModel> even(Model& model, const FoldJudge& judge, size_t samples = 24) {
  const MemorySource source(test::rows(samples));
  const RunSettings settings;
  const std::vector<Tensor> inputs = read_first_inputs(source, settings);
  return even_outliers(model, {inputs, source, source, settings, no_samples()}, {}, judge);
}

/// A judge that quantizes for TensorRT, as quantize does.
FoldJudge real_judge(const Model& model) {
  static const PlacementRequest placement;
  static const RangeOverrides overrides;
  static const RunSettings settings;
  const Target& target = find_target("tensorrt");
  return make_fold_judge(model,
                         {target, placement, rewrite_options({}, placement, target), overrides, {"mse"}, settings});
}

/// A judge of invented scores: 20 dB for each model, 20 + `gain` for one whose w2 was changed.
FoldJudge judge_of(double gain, float outlier) {
  return test::without_memory([=](std::span<const Model> models, const DataSource&, const DataSource& held_out) {
    const Model plain = test::outlier_network(outlier);
    const auto weights = [](const Model& model) {
      return model.graph().constant(*model.graph().find_value("w2"))->data<float>();
    };
    FoldScores scores;
    for (const Model& model : models)
      scores.push_back(
          {std::vector<double>(held_out.size(), std::ranges::equal(weights(model), weights(plain)) ? 20 : 20 + gain)});
    return scores;
  });
}

TEST(EvenOutliers, AreEvenedOutWhereInt8Gains) {
  Model model = test::outlier_network(64);
  const Model before = model.clone();
  const auto outcome = even(model, real_judge(before));
  ASSERT_TRUE(outcome && outcome->report.acceptance);
  EXPECT_TRUE(outcome->report.kept) << outcome->report.reason;
  // 64 times fewer steps are 36 dB less for 15 of 16 channels; what both models share hides part of that.
  EXPECT_GT(*outcome->report.acceptance->after_db, *outcome->report.acceptance->before_db + 6);
  ASSERT_THAT(outcome->report.values, SizeIs(2));  // u and d
  EXPECT_EQ(outcome->report.values[0].family, "product");
  EXPECT_GT(outcome->report.values[0].imbalance_before, 30);
  EXPECT_LT(outcome->report.values[0].imbalance_after, outcome->report.values[0].imbalance_before / 4);
}

TEST(EvenOutliers, NothingIsMeasuredWithoutThem) {
  Model model = test::outlier_network(1);
  EXPECT_FALSE(even(model, test::no_judge()));
}

TEST(EvenOutliers, NothingIsMeasuredInFrontOfAConvolution) {
  Model model = test::outlier_network(
      64, "t = Transpose <perm = [0, 2, 1]> (d)\n c = Conv (t, k)\n y = Transpose <perm = [0, 2, 1]> (c)");
  EXPECT_FALSE(even(model, test::no_judge()));
}

TEST(EvenOutliers, NothingIsMeasuredOnSevenSamples) {
  Model model = test::outlier_network(64);
  EXPECT_FALSE(even(model, test::no_judge(), kFewestToJudge - 1));
}

TEST(EvenOutliers, StayWhereOutputsDoNotGain) {
  for (const double gain : {-1.0, 0.05}) {
    Model model = test::outlier_network(64);
    const auto outcome = even(model, judge_of(gain, 64));
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->report.kept);
    EXPECT_TRUE(outcome->equalization.empty());
    EXPECT_THAT(outcome->report.values, IsEmpty());
    EXPECT_THAT(outcome->report.reason, HasSubstr(gain < 0 ? "lower" : "gains less than 0.1 dB"));
  }
  Model model = test::outlier_network(64);
  EXPECT_FALSE(even(model, judge_of(1, 64))->equalization.empty()) << "1 dB is enough";
}

}  // namespace
}  // namespace detent
