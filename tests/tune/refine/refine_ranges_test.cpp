#include "tune/refine/refine_ranges.h"

#include <gtest/gtest.h>

#include "core/mean.h"
#include "evaluate/sample_scores.h"
#include "evaluate/trial.h"
#include "evaluate/variants_of.h"
#include "model/graph_patch.h"
#include "place/plan/placement_request.h"
#include "rewrite/qdq_inserter.h"
#include "run/memory_source.h"

namespace detent {
namespace {

constexpr int64_t kRefinedInputs = 64;

/// y = x W and z = (x * c) W. c makes element 1 of x 32 times larger, and makes element 0, which W does not use,
/// vanish.
Model two_scales() {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[N, 64] x) => (float[N, 8] y, float[N, 8] z) <float[1] v = {0}, float[1] w = {0}, float[1] c = {0}> {
  y = MatMul (x, v)
  h = Mul (x, c)
  z = MatMul (h, w)
})");
  Tensor w(DataType::Float32, {kRefinedInputs, 8}), c(DataType::Float32, {kRefinedInputs});
  for (int64_t i = 0; i < kRefinedInputs; ++i) {
    for (int64_t j = 0; j < 8; ++j)
      w.mutable_data<float>()[static_cast<size_t>(i * 8 + j)] =
          i == 0 ? 0 : static_cast<float>((i * 8 + j) * 31 % 255 - 127) / 128;
    c.mutable_data<float>()[static_cast<size_t>(i)] = i == 0 ? 0.0F : i == 1 ? 32.0F : 1.0F;
  }
  GraphPatch patch;
  patch.reason = "weights of the test";
  patch.replace_constants = {{"v", w}, {"w", w}, {"c", c}};
  apply_patch(model, patch);
  return model;
}

/// Numbers in [-1, 1], except element 0, which is 100.
std::vector<Tensor> random_samples(size_t count) {
  std::vector<Tensor> samples;
  for (size_t n = 0; n < count; ++n) {
    Tensor x(DataType::Float32, {1, kRefinedInputs});
    for (size_t i = 0; i < static_cast<size_t>(kRefinedInputs); ++i)
      x.mutable_data<float>()[i] = i == 0 ? 100.0F : static_cast<float>((n * 64 + i) * 101 % 1021) / 510 - 1;
    samples.push_back(std::move(x));
  }
  return samples;
}

PlacementRequest with_small_layers() {
  PlacementRequest placement;
  placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  return placement;
}

/// The network, and calibrators that give the ranges a test wants.
class RefineRanges : public ::testing::Test {
 protected:
  void use_samples(size_t count) {
    source_ = std::make_unique<MemorySource>(random_samples(count));
    network_ = std::make_unique<test::VariantsOf>(model_, *source_, "tensorrt", with_small_layers());
    calibration_ = network_->measure(network_->plan.quantized_values());
  }
  /// Returns the ranges of `max`, except for x and h.
  [[nodiscard]] std::map<ValueId, Range> ranges(float x, float h) const {
    auto all = choose_ranges(network_->plan, calibration_,
                             {model_.graph(), *network_->calibrator, network_->overrides, RangeKind::Symmetric, 1});
    all.at(*model_.graph().find_value("x")) = {-x, x};
    all.at(*model_.graph().find_value("h")) = {-h, h};
    return all;
  }
  [[nodiscard]] float amax(const RefinedRanges& refined, const std::string& value) const {
    return refined.ranges.at(*model_.graph().find_value(value)).amax();
  }
  /// max gives (100, 32) and all other calibrators (1, 1), unless `only` says that all give the ranges to begin with.
  RefinedRanges refine(const std::map<ValueId, Range>& begin, bool only = false, size_t threads = 1) {
    RunSettings settings;
    settings.threads = threads;
    const RangesOf ranges_of = [&](const Calibrator& calibrator) {
      return only ? begin : calibrator.name() == "max" ? ranges(100, 32) : ranges(1, 1);
    };
    const ChosenRanges chosen{make_calibrator("max"), begin, std::nullopt};
    return refine_ranges({model_, network_->plan, network_->format, calibration_, network_->overrides, chosen,
                          ranges_of, *source_, settings});
  }
  /// Mean over all samples.
  [[nodiscard]] double score_db(const std::map<ValueId, Range>& ranges) const {
    ModelsSideBySide variants(model_);
    variants.add(make_qdq_patch(model_.graph(), network_->plan, ranges, network_->format).patch);
    const std::vector<std::string> names{"y", "z"};
    EvaluationRequest request{model_, names, *source_, network_->settings, "scoring"};
    request.by_batch = true;
    return mean(sample_scores(evaluate_side_by_side(variants, request)).front());
  }

  const Model model_ = two_scales();
  std::unique_ptr<MemorySource> source_;
  std::unique_ptr<test::VariantsOf> network_;
  Calibration calibration_;
};

TEST_F(RefineRanges, ClipOneValueAndKeepTheOtherWhereNoCalibratorServesBoth) {
  use_samples(40);
  const RefinedRanges refined = refine(ranges(100, 32));
  EXPECT_TRUE(refined.kept);
  EXPECT_NEAR(amax(refined, "x"), 1, 0.2);
  EXPECT_GT(amax(refined, "h"), 25);
  ASSERT_EQ(refined.changes.front().value, "x");
  EXPECT_EQ(refined.changes.front().from, "max");
  EXPECT_EQ(refined.changes.front().before.amax(), 100);
  // y has steps of 1/127 instead of 100/127, 40 dB, and is half of the score; 8 bits of weights and Mul take some of
  // it.
  EXPECT_GT(score_db(refined.ranges), score_db(ranges(100, 32)) + 12);
  // z loses all of its largest element to a range of 1: 0 dB instead of 8 bits; y is as good.
  EXPECT_GT(score_db(refined.ranges), score_db(ranges(1, 1)) + 10);
  EXPECT_GT(*refined.after_db, *refined.before_db + 12);
  EXPECT_EQ(refined.samples, 20U);
}

TEST_F(RefineRanges, ChangeNothingWhereTheRangesAreTheBest) {
  use_samples(40);
  const auto best = ranges(1, 32);
  const RefinedRanges refined = refine(best, /*only=*/true);
  EXPECT_FALSE(refined.kept);
  EXPECT_TRUE(refined.changes.empty());
  EXPECT_EQ(refined.ranges, best);
  EXPECT_EQ(refined.after_db, refined.before_db);
  EXPECT_GT(refined.trials, 0U);  // factors were tried
}

TEST_F(RefineRanges, NeedSixteenSamples) {
  use_samples(15);
  const RefinedRanges few = refine(ranges(100, 32));
  EXPECT_FALSE(few.kept);
  EXPECT_EQ(few.samples, 0U);
  EXPECT_FALSE(few.before_db || few.after_db) << "nothing was measured";
  EXPECT_EQ(few.ranges, ranges(100, 32));
  use_samples(16);
  const RefinedRanges enough = refine(ranges(100, 32));
  EXPECT_TRUE(enough.kept);
  EXPECT_EQ(enough.samples, 8U);
}

TEST_F(RefineRanges, LeaveWhatTheUserGave) {
  use_samples(40);
  network_->overrides["x"] = {nullptr, {-100, 100}};
  const RefinedRanges refined = refine(ranges(100, 32));
  EXPECT_EQ(amax(refined, "x"), 100);
}

TEST_F(RefineRanges, DoNotDependOnThreads) {
  use_samples(40);
  const RefinedRanges one = refine(ranges(100, 32)), four = refine(ranges(100, 32), false, 4);
  EXPECT_EQ(one.ranges, four.ranges);
  EXPECT_EQ(one.before_db, four.before_db);
  EXPECT_EQ(one.after_db, four.after_db);
}

TEST_F(RefineRanges, TryTheWorstValueFirstWhereTheBudgetIsSmall) {
  // h loses its largest element, x only a little: the element that W does not use is most of it.
  use_samples(40);
  const RangesOf others = [this](const Calibrator&) { return ranges(1, 32); };
  const ChosenRanges chosen{make_calibrator("max"), ranges(100, 1), std::nullopt};
  RangeRefinement question{model_, network_->plan, network_->format, calibration_,      network_->overrides,
                           chosen, others,         *source_,         network_->settings};
  // h with 1, 32 and four factors, on 20 samples, through the layer behind it.
  question.macs = 6 * 20 * kRefinedInputs * 8;
  const RefinedRanges one = refine_ranges(question);
  EXPECT_EQ(one.tried, 1U);
  EXPECT_EQ(one.trials, 6U);
  ASSERT_EQ(one.changes.size(), 1U);
  EXPECT_EQ(one.changes.front().value, "h");
  question.macs -= 1;
  const RefinedRanges none = refine_ranges(question);
  EXPECT_EQ(none.tried, 0U);
  EXPECT_FALSE(none.kept);
  EXPECT_EQ(refine(ranges(100, 1)).tried, one.values);
}

}  // namespace
}  // namespace detent
