#include "pipeline/latency/latency_factors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "model/model.h"
#include "model/onnx_protos.h"
#include "model/temporary_folder.h"
#include "pipeline/latency/latency_variants.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// Plans of networks that are given as text; nothing is measured.
class LatencyFactors : public ::testing::Test {
 protected:
  LatencyFactors() {
    options_.target = "tensorrt";
    options_.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  }
  /// types   of inputs and outputs: "(float[1,8,8,8] x) => (float[1,8,8,8] y)"
  /// weights "float[8,8,3,3] w"
  /// names   of the nodes
  void read(const std::string& types, const std::string& weights, const std::string& nodes,
            const std::vector<std::string>& names = {}) {
    options_.model = folder_ / "model.onnx";
    Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]>\ng " + types + "\n<" + weights +
                                   ">\n{ " + nodes + " }");
    write_model(model, options_.model, {.overwrite = true});
    if (names.empty()) return;
    onnx::ModelProto named;
    std::ifstream stream(options_.model, std::ios::binary);
    named.ParseFromIstream(&stream);
    for (size_t i = 0; i < names.size(); ++i)
      named.mutable_graph()->mutable_node(static_cast<int>(i))->set_name(names[i]);
    std::ofstream out(options_.model, std::ios::binary);
    named.SerializeToOstream(&out);
  }
  std::vector<LatencyFactor> factors() {
    Recipe recipe = recipe_of(options_, {}, {});
    recipe.measures = false;
    attempt_ = std::make_unique<Attempt>(Attempt{make(recipe)});
    return latency_factors(*attempt_, options_);
  }
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const LatencyFactor& factor : factors()) names.push_back(factor.name);
    return names;
  }
  LatencyFactor factor(const std::string& name) {
    const std::vector<LatencyFactor> all = factors();
    const auto found = std::ranges::find(all, name, &LatencyFactor::name);
    EXPECT_NE(found, all.end()) << "there is no " << name;
    return found == all.end() ? LatencyFactor{} : *found;
  }

  TemporaryFolder folder_;
  QuantizeOptions options_;
  std::unique_ptr<Attempt> attempt_;
};

/// Constants of as many elements as the shape has.
std::string filled(const std::string& name, const std::vector<int>& shape) {
  std::string sizes, elements;
  int count = 1;
  for (const int size : shape) sizes += (sizes.empty() ? "" : ",") + std::to_string(size), count *= size;
  for (int i = 0; i < count; ++i) elements += (i ? "," : "") + std::to_string(i % 7 - 3);
  return "float[" + sizes + "] " + name + " = {" + elements + "}";
}

TEST_F(LatencyFactors, TellKindsOfLayersByTheirWeights) {
  struct Layer {
    const char *kind, *input;
    std::vector<int> weight;
    const char* node;
  };
  const Layer layers[] = {
      {"convolutions", "1,8,8,8", {8, 8, 3, 3}, "Conv <pads = [1,1,1,1]> (x, w)"},
      {"convolutions", "1,8,8,8", {8, 4, 3, 3}, "Conv <pads = [1,1,1,1], group = 2> (x, w)"},
      {"convolutions", "1,8,8,8", {8, 8, 1, 3}, "Conv <pads = [0,1,0,1]> (x, w)"},
      {"pointwise convolutions", "1,8,8,8", {8, 8, 1, 1}, "Conv (x, w)"},
      {"depthwise convolutions", "1,8,8,8", {8, 1, 3, 3}, "Conv <pads = [1,1,1,1], group = 8> (x, w)"},
      {"3-D convolutions", "1,8,8,8,8", {8, 8, 3, 3, 3}, "Conv <pads = [1,1,1,1,1,1]> (x, w)"},
      {"square matrix products", "1,8,8,8", {8, 8}, "MatMul (x, w)"},
      {"widening matrix products", "1,8,8,8", {8, 16}, "MatMul (x, w)"},
      {"narrowing matrix products", "8,8", {4, 8}, "Gemm <transB = 1> (x, w)"}};
  options_.target = "openvino";  // has a kernel for each of them
  for (const Layer& one : layers) {
    const std::string type = std::string("float[") + one.input + "]";
    read("(" + type + " x) => (" + type + " y)", filled("w", one.weight), std::string("y = ") + one.node);
    EXPECT_THAT(names(), Contains(one.kind + std::string(" in float"))) << one.node;
    EXPECT_EQ(factor(one.kind + std::string(" in float")).kind.change, std::string("float ") + one.kind);
  }
}

const char* const kTwoKinds = "a = Conv <pads = [1,1,1,1]> (x, w) y = Conv (a, v)";
std::string weights_of_two_kinds() { return filled("w", {8, 8, 3, 3}) + ", " + filled("v", {8, 8, 1, 1}); }
const char* const kImageToImage = "(float[1,8,8,8] x) => (float[1,8,8,8] y)";

TEST_F(LatencyFactors, OfNodesBeginWithThoseOfMostWork) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds);
  const std::vector<LatencyFactor> found = factors();
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].name, "convolutions in float");
  EXPECT_EQ(found[1].name, "pointwise convolutions in float");
  // multiplications 9 : 1 and elements 1 : 1, each half of a share
  EXPECT_DOUBLE_EQ(found[0].kind.share, (.9 + .5) / 2);
  EXPECT_DOUBLE_EQ(found[1].kind.share, (.1 + .5) / 2);
  EXPECT_EQ(found[0].kind.elements, 8 * 8 * 8);
}

TEST_F(LatencyFactors, LeaveOutWhatChangesNothing) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds);
  EXPECT_THAT(names(), Not(Contains("separate scales of Concat inputs"))) << "there is no Concat";
  read("(float[1,8,8,8] x) => (float[1,8,8,8] y)", filled("w", {8, 8, 3, 3}) + ", " + filled("v", {8, 16, 1, 1}),
       "a = Conv <pads = [1,1,1,1]> (x, w) b = Relu (a) c = MaxPool <kernel_shape = [3,3], pads = [1,1,1,1]> (x) "
       "d = Concat <axis = 1> (b, c) y = Conv (d, v)");
  EXPECT_THAT(names(), Contains("separate scales of Concat inputs"));
}

TEST_F(LatencyFactors, LeaveTheUsersOwnChoicesAlone) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds);
  options_.placement.small_layers = PlacementOptions::SmallLayers::Auto;
  options_.target = "onnxruntime";
  EXPECT_THAT(names(), Contains("int8 activations"));
  options_.format.activation = DataType::UInt8;
  EXPECT_THAT(names(), Not(Contains("int8 activations"))) << "--activation uint8 was chosen";
  options_.target = "tensorrt", options_.format.activation.reset();
  EXPECT_THAT(names(), Contains("small layers in INT8"));
  options_.placement.small_layers = PlacementOptions::SmallLayers::Quantize;
  EXPECT_THAT(names(), Not(Contains("small layers in INT8")));
}

const char* const kTwoProducts = "a = MatMul (x, w) b = Tanh (a) y = MatMul (b, v)";
std::string weights_of_two_products() { return filled("w", {8, 16}) + ", " + filled("v", {16, 8}); }

TEST_F(LatencyFactors, OfferScalesAtRunTimeWhereTheEngineHasKernelsForThem) {
  read("(float[4,8] x) => (float[4,8] y)", weights_of_two_products(), kTwoProducts);
  options_.target = "onnxruntime";
  const LatencyFactor dynamic = factor("scales at run time");
  EXPECT_THAT(dynamic.options, ElementsAre("--activation", "dynamic"));
  const PlacementPlan plan = variant_of(*attempt_, options_, {&dynamic}).plan;
  EXPECT_EQ(std::ranges::count(plan.layers, Runs::Dynamic, &LayerDecision::runs), std::ssize(plan.layers));
  options_.format.int32_bias = true;
  EXPECT_THAT(names(), Not(Contains("scales at run time"))) << "the user's biases need a scale in advance";
  options_.format.int32_bias.reset(), options_.target = "tensorrt";
  EXPECT_THAT(names(), Not(Contains("scales at run time")));
}

TEST_F(LatencyFactors, OfferScalesInAdvanceBesideThoseOfRunTime) {
  read("(float[1,8] x) => (float[1,8] y)", weights_of_two_products(), kTwoProducts);
  options_.target = "onnxruntime", options_.format.dynamic = true;
  const LatencyFactor group = factor("widening matrix products with scales in advance");
  EXPECT_THAT(group.fixed, SizeIs(1));
  const LatencyVariant variant = variant_of(*attempt_, options_, {&group});
  EXPECT_EQ(std::ranges::count(variant.plan.layers, Runs::Dynamic, &LayerDecision::runs), 1);
  EXPECT_TRUE(std::ranges::all_of(variant.plan.layers, &LayerDecision::runs_on_codes));
  QuantizeOptions same = options_;  // what the words say makes the same plan
  same.placement.include = {group.options.at(1)};
  EXPECT_TRUE(pairs_of(variant_of(*attempt_, same, {}).plan) == pairs_of(variant.plan) ||
              variant.options.placement.include == same.placement.include);
  EXPECT_THAT(names(), Not(Contains("int8 activations")));
}

TEST_F(LatencyFactors, KeepNodesThatTheUserIncludesOrExcludes) {
  read(kImageToImage, weights_of_two_kinds(), "a = Conv <pads = [1,1,1,1]> (x, w) y = Conv (a, v)");
  ASSERT_THAT(names(), ElementsAre("convolutions in float", "pointwise convolutions in float"));
  const std::string layer = factor("convolutions in float").nodes.at(0);
  options_.placement.exclude = {layer};
  EXPECT_THAT(names(), ElementsAre("pointwise convolutions in float")) << "it is float already";
  options_.placement.exclude.clear();
  options_.placement.include = {layer};
  EXPECT_THAT(names(), ElementsAre("pointwise convolutions in float")) << "it is to be INT8";
}

TEST_F(LatencyFactors, NameNodesInRegularExpressionsThatMatchThemAlone) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds, {"a.b(1)/c+d", "aXb(1)/c+d"});
  const LatencyFactor found = factor("convolutions in float");
  ASSERT_THAT(found.nodes, ElementsAre("a.b(1)/c+d"));
  EXPECT_THAT(found.options, ElementsAre("--exclude", R"(^(a\.b\(1\)/c\+d)$)"));
  options_.placement.exclude = {found.options[1]};
  EXPECT_THAT(names(), ElementsAre("pointwise convolutions in float"));
}

/// Convs behind each other.
std::string convs_in_a_row(size_t layers) {
  std::string nodes, value = "x";
  for (size_t i = 0; i < layers; ++i) {
    const std::string next = i + 1 == layers ? "y" : "v" + std::to_string(i);
    nodes += next + " = Conv (" + value + ", w) ";
    value = next;
  }
  return nodes;
}

TEST_F(LatencyFactors, AreHalvedFromFourNodesOn) {
  read(kImageToImage, filled("w", {8, 8, 1, 1}), convs_in_a_row(3));
  EXPECT_FALSE(halves_of(factor("pointwise convolutions in float"), *attempt_));
  read(kImageToImage, filled("w", {8, 8, 1, 1}), convs_in_a_row(5));
  const LatencyFactor whole = factor("pointwise convolutions in float");
  const auto halves = halves_of(whole, *attempt_);
  ASSERT_TRUE(halves);
  EXPECT_EQ(halves->first.name, "pointwise convolutions 1 to 2 of 5 in float");
  EXPECT_EQ(halves->second.name, "pointwise convolutions 3 to 5 of 5 in float");
  std::vector<std::string> nodes = halves->first.nodes;
  nodes.insert(nodes.end(), halves->second.nodes.begin(), halves->second.nodes.end());
  EXPECT_EQ(nodes, whole.nodes);
  EXPECT_EQ(halves->first.kind.change, whole.kind.change) << "a table adds them up";
  EXPECT_DOUBLE_EQ(halves->first.kind.share + halves->second.kind.share, whole.kind.share);
}

TEST_F(LatencyFactors, OfAllActivationsAreNotHalved) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds);
  options_.target = "onnxruntime", options_.placement.small_layers = PlacementOptions::SmallLayers::Auto;
  EXPECT_FALSE(halves_of(factor("int8 activations"), *attempt_));
}

TEST_F(LatencyFactors, OfAnEngineThatComputesWholeGraphsInCodesLeaveNoNodesFloat) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds);
  options_.target = "qnn", options_.placement.small_layers = PlacementOptions::SmallLayers::Auto;
  for (const LatencyFactor& factor : factors()) EXPECT_THAT(factor.nodes, IsEmpty()) << factor.name;
}

/// The variant of an attempt with one factor.
PlacementPlan plan_with(const Attempt& attempt, const QuantizeOptions& options, const LatencyFactor& factor) {
  return variant_of(attempt, options, {&factor}).plan;
}

TEST_F(LatencyFactors, MakeThePlanOfTheirOptions) {
  read(kImageToImage, weights_of_two_kinds(), kTwoKinds);
  const LatencyFactor found = factor("convolutions in float");
  const PlacementPlan plan = plan_with(*attempt_, options_, found);
  options_.placement.exclude = {found.options[1]};
  static_cast<void>(factors());
  const PlacementPlan& by_hand = attempt_->prepared.plan;
  ASSERT_EQ(plan.edges.size(), by_hand.edges.size());
  for (size_t i = 0; i < plan.edges.size(); ++i) {
    EXPECT_EQ(plan.edges[i].reads_pair(), by_hand.edges[i].reads_pair()) << i;
    EXPECT_EQ(plan.about(plan.edges[i].value).scale_group, by_hand.about(by_hand.edges[i].value).scale_group) << i;
  }
  EXPECT_EQ(std::ranges::count_if(plan.edges, &EdgeDecision::reads_pair), 1) << "that of the other layer";
}

}  // namespace
}  // namespace detent
