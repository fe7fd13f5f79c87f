#include "tune/correct_biases.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "calibrate/sample_tables.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "evaluate/channel_errors.h"
#include "evaluate/float_network.h"
#include "place/make_plan.h"
#include "rewrite/qdq_inserter.h"
#include "run/deciding_samples.h"
#include "run/memory_source.h"
#include "run/sample_subset.h"

namespace detent {
namespace {

/// Two convolutions with biases; the second reads the output of a Relu, so that an error of the first has a mean.
Model biased_network() {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[N, 16, 8, 8] x) => (float[N, 16, 8, 8] y)
<float[1] w1 = {0}, float[1] w2 = {0}, float[1] b1 = {0}, float[1] b2 = {0}>
{ a = Conv (x, w1, b1)  r = Relu (a)  y = Conv (r, w2, b2) })");
  test::Numbers numbers(3);
  GraphPatch patch;
  patch.reason = "weights of the test";
  for (const char* name : {"w1", "w2"})
    patch.replace_constants.emplace_back(name, numbers.tensor({16, 16, 1, 1}, 0.3F));
  for (const char* name : {"b1", "b2"}) patch.replace_constants.emplace_back(name, numbers.tensor({16}, 0.5F));
  apply_patch(model, patch);
  return model;
}

struct Quantization {
  Model model = biased_network();
  MemorySource source;
  PlacementPlan plan = make_placement_plan(model.graph(), find_target("tensorrt"), {});
  std::map<ValueId, Range> ranges;
  RunSettings settings;

  /// cut  share of each range that is kept: elements beyond saturate, and the means move.
  explicit Quantization(float cut, size_t samples = 32) : source(test::residual_samples(samples)) {
    const Calibration calibration = calibrate(model.graph(), plan.quantized_values(), source, settings);
    const auto calibrator = make_calibrator("max");
    const RangeOverrides no_overrides;
    ranges = choose_ranges(plan, calibration, {model.graph(), *calibrator, no_overrides});
    for (auto& [value, range] : ranges) range = {range.min * cut, range.max * cut};
  }

  [[nodiscard]] BiasCorrection correct() const { return correct_biases(model, plan, ranges, {}, &source, settings); }
};

TEST(CorrectBiases, GainsWhereSaturationMovedTheMeans) {
  const BiasCorrection correction = Quantization(0.3F).correct();
  EXPECT_EQ(correction.report.layers, 2U);
  EXPECT_TRUE(correction.report.kept);
  EXPECT_GT(correction.report.after_db, correction.report.before_db);
  EXPECT_EQ(correction.patch.replace_constants.size(), 2U);
}

TEST(CorrectBiases, MakesTheMeansOfTheLastLayerThoseOfTheFloatNetwork) {
  const Quantization set(0.3F);
  const BiasCorrection correction = set.correct();
  Model better = set.model.clone();
  apply_patch(better, correction.patch);
  apply_patch(better, make_qdq_patch(better.graph(), set.plan, set.ranges).patch);
  const SampleSubset measured(set.source, SampleSplit(set.source).measuring);
  const auto left = channel_errors(set.model, better, {"y", 2}, measured, set.settings);
  ASSERT_TRUE(left);
  for (size_t c = 0; c < 16; ++c) EXPECT_NEAR((*left)[c], 0, 1e-5) << c;  // floats of magnitude 1
}

TEST(CorrectBiases, IsJudgedOnOtherSamplesThanItIsMeasuredOn) {
  const BiasCorrectionReport report = Quantization(0.3F).correct().report;
  EXPECT_EQ(report.samples, 16U) << "half of 32";
  const SampleSplit split(MemorySource(test::residual_samples(32)));
  for (const size_t sample : split.measuring) EXPECT_EQ(std::ranges::count(split.deciding, sample), 0) << sample;
}

TEST(CorrectBiases, NeedsSixteenSamples) {
  const BiasCorrection few = Quantization(0.3F, 15).correct(), enough = Quantization(0.3F, 16).correct();
  EXPECT_TRUE(few.patch.empty());
  EXPECT_FALSE(few.report.before_db || few.report.after_db);
  EXPECT_EQ(few.report.samples, 0U);
  EXPECT_EQ(few.report.reason, "fewer than 16 samples");
  EXPECT_TRUE(enough.report.kept) << enough.report.reason;
  EXPECT_EQ(enough.report.samples, 8U);
}

TEST(CorrectBiases, DoesNotDependOnThreads) {
  Quantization one(0.3F), four(0.3F);
  one.settings.threads = 1;
  four.settings.threads = 4;
  const BiasCorrection a = one.correct(), b = four.correct();
  ASSERT_EQ(a.patch.replace_constants.size(), b.patch.replace_constants.size());
  for (size_t i = 0; i < a.patch.replace_constants.size(); ++i) {
    const auto x = a.patch.replace_constants[i].second.data<float>(),
               y = b.patch.replace_constants[i].second.data<float>();
    EXPECT_TRUE(std::equal(x.begin(), x.end(), y.begin(), y.end()));
  }
}

TEST(CorrectBiases, NeedsData) {
  const Quantization set(1);
  EXPECT_EQ(
      code_of([&] { static_cast<void>(correct_biases(set.model, set.plan, set.ranges, {}, nullptr, set.settings)); }),
      ErrorCode::InvalidOption);
}

}  // namespace
}  // namespace detent
