#include "tune/refine/round_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "calibrate/calibration.h"
#include "calibrate/choose_ranges.h"
#include "calibrate/range_overrides.h"
#include "calibrate/sample_tables.h"
#include "core/small_float.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "evaluate/float_network.h"
#include "place/make_plan.h"
#include "rewrite/qdq_inserter.h"
#include "run/memory_source.h"

namespace detent {
namespace {

/// A pointwise convolution, a depthwise one and a pointwise one.
Model separable_network(int64_t channels) {
  const std::string c = std::to_string(channels), image = "float[N, " + c + ", 8, 8]";
  Model model = parse_model_text("<ir_version: 9, opset_import: [\"\" : 19]>\ng (" + image + " x) => (" + image + R"( y)
<float[1] w1 = {0}, float[1] w2 = {0}, float[1] w3 = {0}>
{ a = Conv (x, w1)  r = Relu (a)  d = Conv <group = )" +
                                 c + R"(, pads = [1, 1, 1, 1]> (r, w2)  s = Relu (d)  y = Conv (s, w3) })");
  test::Numbers numbers(3);
  GraphPatch patch{.reason = "weights of the test"};
  patch.replace_constants.emplace_back("w1", numbers.tensor({channels, channels, 1, 1}, 0.3F));
  patch.replace_constants.emplace_back("w2", numbers.tensor({channels, 1, 3, 3}, 0.3F));
  patch.replace_constants.emplace_back("w3", numbers.tensor({channels, channels, 1, 1}, 0.3F));
  apply_patch(model, patch);
  return model;
}

/// 48 samples whose channels are one picture, each with some noise.
std::vector<Tensor> correlated_samples(int64_t channels = 16) {
  test::Numbers numbers(11);
  std::vector<Tensor> samples;
  for (int i = 0; i < 48; ++i) {
    Tensor sample = numbers.tensor({1, channels, 8, 8}, 0.05F);
    const Tensor picture = numbers.tensor({8, 8});
    const auto x = sample.mutable_data<float>();
    for (size_t e = 0; e < x.size(); ++e) x[e] += picture.data<float>()[e % 64];
    samples.push_back(std::move(sample));
  }
  return samples;
}

struct Rounding {
  Model model;
  MemorySource source;
  PlacementPlan plan;
  std::map<ValueId, Range> ranges;
  RewriteOptions format;
  RunSettings settings;

  explicit Rounding(std::vector<Tensor> samples, CodeType type = CodeType::Int8)
      : model(separable_network(samples.front().shape()[1])), source(std::move(samples)),
        plan(make_placement_plan(model.graph(), find_target("tensorrt"), {{{}, type}})) {
    format.per_tensor_weights = true;
    if (type == CodeType::Fp8) format.activation.type = DataType::Float8E4M3FN;
    const Calibration calibration = calibrate(model.graph(), plan.quantized_values(), source, settings);
    const auto calibrator = make_calibrator("max");
    const RangeOverrides no_overrides;
    ranges = choose_ranges(plan, calibration, {model.graph(), *calibrator, no_overrides});
  }

  [[nodiscard]] WeightRounding round() const { return round_weights(model, plan, ranges, format, &source, settings); }

  /// Returns the rewriter's weight of the model, with a patch or without.
  [[nodiscard]] QuantizedWeight written(const std::string& weight, const GraphPatch& patch = {}) const {
    Model changed = model.clone();
    if (!patch.empty()) apply_patch(changed, patch);
    WeightMemo memo;
    static_cast<void>(make_qdq_patch(changed.graph(), plan, ranges, format, &memo));
    return memo.entries_of(*changed.graph().find_value(weight)).front().second->quantized;
  }
};

/// Returns the weights of the patch, or the model's where it has none.
std::vector<float> weights_of(const Rounding& set, const GraphPatch& patch, const std::string& name) {
  const auto at = std::ranges::find(patch.replace_constants, name, [](const auto& c) { return c.first; });
  const Tensor& weight = at == patch.replace_constants.end()
                             ? *set.model.graph().constant(*set.model.graph().find_value(name))
                             : at->second;
  return {weight.data<float>().begin(), weight.data<float>().end()};
}

TEST(RoundWeights, GainsWhereInputsAreCorrelated) {
  const WeightRounding rounding = Rounding(correlated_samples()).round();
  EXPECT_TRUE(rounding.report.kept);
  EXPECT_EQ(rounding.report.samples, 32U);
  EXPECT_GT(rounding.report.weights, 0U);
  EXPECT_GT(rounding.report.after_db, rounding.report.before_db);
}

TEST(RoundWeights, WritesWeightsThatKeepTheirScalesAndHaveTheChosenCodes) {
  const RewriteOptions per_channel, per_tensor{.per_tensor_weights = true}, seven_bits{.weight_bits = 7};
  const RewriteOptions engine_quantizes{.int8_weights = false};
  for (const RewriteOptions& format : {per_channel, per_tensor, seven_bits, engine_quantizes}) {
    Rounding set(correlated_samples());
    set.format = format;
    const WeightRounding rounding = set.round();
    ASSERT_FALSE(rounding.patch.empty());
    for (const std::string name : {"w1", "w2", "w3"}) {
      const QuantizedWeight before = set.written(name), after = set.written(name, rounding.patch);
      EXPECT_EQ(after.qparams.scale, before.qparams.scale) << name;
      const std::vector<float> weights = weights_of(set, rounding.patch, name), old = weights_of(set, {}, name);
      const size_t inner = weights.size() / after.qparams.scale.size();
      for (size_t i = 0; i < weights.size(); ++i) {
        const int code = after.codes.data<int8_t>()[i];
        if (code == before.codes.data<int8_t>()[i]) {
          EXPECT_EQ(weights[i], old[i]) << "a code that stays leaves its weight alone";
        } else if (std::abs(code) < (format.weight_bits == 7 ? 63 : 127)) {
          EXPECT_EQ(weights[i], static_cast<float>(code) * after.qparams.scale[i / inner]) << name << " " << i;
        }
      }
    }
  }
}

// With 32 channels the pointwise convolutions are FP8; the depthwise one stays float (R10).
TEST(RoundWeights, RoundsToTheNumbersOfFp8) {
  const Rounding set(correlated_samples(32), CodeType::Fp8);
  const WeightRounding rounding = set.round();
  ASSERT_TRUE(rounding.report.kept) << rounding.report.reason;
  EXPECT_EQ(rounding.report.weights, 2U);
  EXPECT_GT(rounding.report.after_db, rounding.report.before_db);
  EXPECT_EQ(weights_of(set, rounding.patch, "w2"), weights_of(set, {}, "w2"));
  for (const std::string name : {"w1", "w3"}) {
    const QuantizedWeight before = set.written(name), after = set.written(name, rounding.patch);
    ASSERT_EQ(after.codes.type(), DataType::Float8E4M3FN);
    EXPECT_EQ(after.qparams.scale, before.qparams.scale) << name;
    const std::vector<float> weights = weights_of(set, rounding.patch, name), old = weights_of(set, {}, name);
    const auto* codes = static_cast<const uint8_t*>(after.codes.raw());
    size_t changed = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] == old[i]) continue;
      ++changed;
      const float number = decode_e4m3(codes[i]);
      if (std::abs(number) < kLargestE4M3) {
        EXPECT_EQ(weights[i], number * after.qparams.scale.front()) << name << " " << i;
      }
    }
    EXPECT_GT(changed, 0U) << name;
  }
}

TEST(RoundWeights, LeavesAWeightAloneWhoseScaleWouldBeSearchedAnew) {
  Rounding set(correlated_samples());
  set.format.weight_range = WeightRange::Mse;
  const WeightRounding rounding = set.round();
  for (const std::string name : {"w1", "w2", "w3"})
    EXPECT_EQ(set.written(name, rounding.patch).qparams.scale, set.written(name).qparams.scale) << name;
}

TEST(RoundWeights, IsTakenBackWhereTheOutputsGainNothing) {
  // Every sample is 0: the moments are 0, and there is nothing to gain.
  const WeightRounding rounding = Rounding(std::vector<Tensor>(48,
                                                               [] {
                                                                 Tensor zeros(DataType::Float32, {1, 16, 8, 8});
                                                                 std::ranges::fill(zeros.mutable_data<float>(), 0.0F);
                                                                 return zeros;
                                                               }()))
                                      .round();
  EXPECT_FALSE(rounding.report.kept);
  EXPECT_TRUE(rounding.patch.empty());
  EXPECT_EQ(rounding.report.weights, 0U);
}

TEST(RoundWeights, LeavesAWeightAloneThatAFloatLayerReadsToo) {
  Rounding set(correlated_samples());
  std::erase_if(set.plan.weights,
                [&](const WeightDecision& w) { return w.value == *set.model.graph().find_value("w3"); });
  for (const auto& [name, weight] : set.round().patch.replace_constants) EXPECT_NE(name, "w3");
}

TEST(RoundWeights, DoesNotDependOnThreads) {
  Rounding one(correlated_samples()), four(correlated_samples());
  one.settings.threads = 1;
  four.settings.threads = 4;
  const GraphPatch a = one.round().patch, b = four.round().patch;
  ASSERT_FALSE(a.empty());
  for (const std::string name : {"w1", "w2", "w3"}) EXPECT_EQ(weights_of(one, a, name), weights_of(four, b, name));
}

TEST(RoundWeights, DecidesOnSamplesThatItWasNotMadeOf) {
  std::vector<Tensor> few = correlated_samples();
  few.resize(20);
  EXPECT_EQ(Rounding(few).round().report.samples, 10U);
  few.resize(8);
  EXPECT_EQ(Rounding(few).round().report.samples, 4U);
  few.resize(7);
  const WeightRounding nothing = Rounding(few).round();
  EXPECT_TRUE(nothing.patch.empty());
  EXPECT_EQ(nothing.report.samples, 0U);
}

TEST(RoundWeights, NeedsData) {
  const Rounding set(correlated_samples());
  EXPECT_EQ(code_of([&] {
              static_cast<void>(round_weights(set.model, set.plan, set.ranges, set.format, nullptr, set.settings));
            }),
            ErrorCode::InvalidOption);
}

}  // namespace
}  // namespace detent
