#include "tune/layer_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detent/base/error.h"
#include "detent/base/qparams.h"
#include "evaluate/float_network.h"
#include "evaluate/value_errors.h"
#include "evaluate/variants_of.h"
#include "place/plan/placement_plan.h"
#include "place/plan/placement_request.h"
#include "run/memory_source.h"

namespace detent {
namespace {

constexpr float kSpread = 64;

LayerErrors errors_of(test::VariantsOf& network) {
  return measure_layer_errors(network.variants, network.model, {"y"}, network.source, network.settings);
}

std::string name(const test::VariantsOf& network, const LayerErrors::Choice& choice) {
  return network.model.graph().node(choice.what.node).name;
}

/// The Conv that reads the spread channels.
constexpr const char* kWide = "Conv_8";

TEST(LayerErrors, FindTheBadLayer) {
  const Model model = test::residual_network(kSpread);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  const LayerErrors errors = errors_of(network);
  ASSERT_EQ(errors.choices.size(), 5U);
  EXPECT_EQ(name(network, errors.choices.front()), kWide);
  // 64 times fewer steps for the other 15 channels are 36 dB; the rest of the network is at 8 bits, within 10 dB of
  // itself.
  EXPECT_LT(errors.choices.front().alone.sqnr_db.value() + 15, errors.choices[1].alone.sqnr_db);
  for (size_t i = 1; i < errors.choices.size(); ++i)
    EXPECT_LT(errors.choices[i].all_but.sqnr_db, errors.choices.front().all_but.sqnr_db);
}

TEST(LayerErrors, CallNoLayerBadWhereAllAreAlike) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  const LayerErrors errors = errors_of(network);
  EXPECT_LT(errors.choices.back().alone.sqnr_db.value() - errors.choices.front().alone.sqnr_db.value(), 15);
}

TEST(LayerErrors, OfALayerAloneAreSmallerThanOfAllTogether) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(6));
  test::VariantsOf network(model, source, "tensorrt");
  const LayerErrors errors = errors_of(network);
  double noise = 0;
  for (const auto& choice : errors.choices) {
    EXPECT_GT(choice.alone.sqnr_db, errors.all.sqnr_db);
    noise += std::pow(10, -choice.all_but.sqnr_db.value() / 10);
  }
  // Independent noise of layers adds up: without one it is less on average, though not for every layer.
  EXPECT_LT(noise / 5, std::pow(10, -errors.all.sqnr_db.value() / 10));
}

TEST(FloatVariants, NeverLeaveHalfAFusion) {
  // `right` runs in one kernel with the Add behind it: alone it takes the pair on the Add's other input with it.
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  test::VariantsOf network(model, source, "tensorrt");
  const Graph& graph = model.graph();
  const PlacementPlan alone = network.variants.alone(network.choice("Conv_4"));
  const EdgeDecision* skip = alone.find_edge(*graph.find_node("Add_5"), 1);
  ASSERT_NE(skip, nullptr);
  EXPECT_TRUE(skip->reads_pair());
  EXPECT_EQ(alone.coverage.int8_layers, 1);
  EXPECT_EQ(alone.weights.size(), 1U);
  const PlacementPlan without = network.variants.all_but(network.choice("Conv_4"));
  // The Add is then a separate kernel: INT8 with pairs on both inputs, or float with none.
  EXPECT_EQ(without.find_edge(*graph.find_node("Add_5"), 0)->reads_pair(),
            without.find_edge(*graph.find_node("Add_5"), 1)->reads_pair());
  EXPECT_EQ(without.coverage.int8_layers, 4);
}

TEST(FloatVariants, CountWhatElseBecomesFloat) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  test::VariantsOf network(model, source, "tensorrt");
  const int64_t macs = 16 * 8 * 8 * 16 * 9;  // outputs x weights each
  for (const FloatChoice& choice : network.variants.choices()) EXPECT_EQ(choice.macs, macs);
}

TEST(FloatVariants, QuantizeALayerAloneForOnnxRuntimeToo) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  test::VariantsOf network(model, source, "onnxruntime");
  ASSERT_FALSE(network.variants.choices().empty());
  for (const FloatChoice& choice : network.variants.choices()) {
    const PlacementPlan alone = network.variants.alone(choice);
    EXPECT_EQ(alone.weights.size(), 1U);
    EXPECT_EQ(alone.weights.front().node, choice.node);
    EXPECT_GE(alone.quantized_values().size(), 2U);  // in front and behind
  }
}

TEST(FloatVariants, OfferNothingThatTheUserIncludes) {
  const Model model = test::residual_network(1);
  const MemorySource source(test::residual_samples(1));
  PlacementRequest placement;
  placement.include = {"^Conv_0$"};
  test::VariantsOf network(model, source, "tensorrt", placement);
  EXPECT_EQ(network.variants.choices().size(), 4U);
  EXPECT_THROW(static_cast<void>(network.choice("Conv_0")), Error);
}

TEST(LocalErrors, AreThoseOfEachValueBehindItsPair) {
  const Model model = test::residual_network(kSpread);
  const MemorySource source(test::residual_samples(3));
  test::VariantsOf network(model, source, "tensorrt");
  const auto ranges = network.ranges.ranges_of(network.plan);
  const auto errors = measure_value_errors(model, network.plan, ranges, network.format, source, network.settings);
  ASSERT_EQ(errors.size(), network.plan.quantized_values().size());
  EXPECT_TRUE(std::ranges::is_sorted(errors, {}, &LocalError::sqnr_db));

  const ValueId x = *model.graph().find_value("x");
  const QParams grid = qparams_from_range(ranges.at(x), network.format.activation);
  double signal = 0, noise = 0;
  for (size_t i = 0; i < source.size(); ++i)
    for (const float value : source.read(i).inputs.front().data<float>()) {
      const double scale = grid.scale.front();
      const double back = static_cast<float>(std::nearbyint(value / grid.scale.front())) * scale;
      signal += static_cast<double>(value) * value;
      noise += (value - back) * (value - back);
    }
  const auto found = std::ranges::find(errors, "x", &LocalError::value);
  ASSERT_NE(found, errors.end());
  // The loop multiplies in double, the kernel in float: 2^-24 of a value against half a step of 2^-8 of it.
  EXPECT_NEAR(found->sqnr_db, 10 * std::log10(signal / noise), 0.01);
}

}  // namespace
}  // namespace detent
