#include "lint/view/standalone_pairs.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "lint/exported_networks.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> standalone(test::PairPlaces places) {
  const Model model = test::ResNet18Pairs(places).model();
  std::vector<std::string> nodes;
  for (const StandalonePair& pair : standalone_pairs(model.graph())) nodes.push_back(pair.node);
  return nodes;
}

// The engines of these three files, on an A100 with TensorRT 8.4, have exactly these layers.

TEST(StandalonePairs, OfResnetWithFloatShortcutsAreTen) {
  EXPECT_THAT(standalone({}),
              ElementsAre("QuantizeLinear_2", "QuantizeLinear_15", "QuantizeLinear_40", "QuantizeLinear_65",
                          "QuantizeLinear_101", "QuantizeLinear_126", "QuantizeLinear_162", "QuantizeLinear_187",
                          "QuantizeLinear_223", "QuantizeLinear_250"));
}

TEST(StandalonePairs, OfResnetWithPairsOnTheShortcutsAreThree) {
  EXPECT_THAT(standalone({.shortcuts = true}),
              ElementsAre("QuantizeLinear_2", "DequantizeLinear_291", "QuantizeLinear_298"));
}

TEST(StandalonePairs, OfResnetWithAPairInFrontOfThePoolIsTheInputs) {
  EXPECT_THAT(standalone({.shortcuts = true, .pool = true}), ElementsAre("QuantizeLinear_2"));
}

// The engine of the first, on a TITAN RTX with TensorRT 8.4, has 17; that of the second is told to have two.
TEST(StandalonePairs, OfMobilenetAreThoseOfItsFloatShortcuts) {
  const auto count = [](test::PairPlaces places) {
    const Model model = test::MobileNetV2Pairs(places).model();
    return standalone_pairs(model.graph()).size();
  };
  EXPECT_EQ(count({}), 17U);
  EXPECT_EQ(count({.shortcuts = true}), 2U);
}

TEST(StandalonePairs, SayWhy) {
  const Model model = test::ResNet18Pairs({.shortcuts = true}).model();
  const auto found = standalone_pairs(model.graph());
  ASSERT_EQ(found.size(), 3U);
  EXPECT_THAT(found[0].reason, HasSubstr("the network's input is float"));
  EXPECT_THAT(found[1].reason, HasSubstr("'Add_292' (Add) writes floats, since 'GlobalAveragePool_294'"));
  EXPECT_THAT(found[2].reason, HasSubstr("computes in float"));
}

/// A Conv whose output a MaxPool and a Concat read, each with a pair behind it.
std::vector<std::string> around_a_pool(const char* reader_of_pool) {
  const Model model = parse_model_text(test::fill_tensors(std::string(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4,8,8] x) => (float[1,4,4,4] y, float[1,4,8,8] e)
<float s = {0.1}, int8 z = {0}, int8[4,4,1,1] w = {...}> {
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)  wd = DequantizeLinear (w, s, z)
  a = Conv (xd, wd)
  p = MaxPool <kernel_shape = [2,2], strides = [2,2]> (a)
  )") + reader_of_pool + R"(
  aq = QuantizeLinear (a, s, z)  ad = DequantizeLinear (aq, s, z)
  e = Conv (ad, wd) })"));
  std::vector<std::string> nodes;
  for (const StandalonePair& pair : standalone_pairs(model.graph())) nodes.push_back(pair.node);
  return nodes;
}

TEST(StandalonePairs, AQuantizerBehindAPoolMovesInFrontOfIt) {
  EXPECT_THAT(around_a_pool("pq = QuantizeLinear (p, s, z)  pd = DequantizeLinear (pq, s, z)  y = Conv (pd, wd)"),
              ElementsAre("QuantizeLinear_0"));
}

TEST(StandalonePairs, APoolThatIsReadAsFloatsLeavesItsConvFloat) {
  EXPECT_THAT(around_a_pool("y = Relu (p)"), ElementsAre("QuantizeLinear_0", "QuantizeLinear_6"));
}

/// A Conv, x * Sigmoid(x) and a Conv behind a pair; `reader` is another value that is read.
std::vector<std::string> around_a_gate(const std::string& reader) {
  const Model model = parse_model_text(test::fill_tensors(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4,8,8] x) => (float[1,4,8,8] y, float[1,4,8,8] o) <float s = {0.1}, int8 z = {0}, int8[4,4,1,1] w = {...}> {
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)  wd = DequantizeLinear (w, s, z)
  a = Conv (xd, wd)  g = Sigmoid (a)  m = Mul (a, g)
  mq = QuantizeLinear (m, s, z)  md = DequantizeLinear (mq, s, z)
  y = Conv (md, wd)  o = Relu ()" + reader + ") }"));
  std::vector<std::string> nodes;
  for (const StandalonePair& pair : standalone_pairs(model.graph())) nodes.push_back(pair.node);
  if (int8_products(model.graph()).front().writes_codes) nodes.emplace_back("codes");
  return nodes;
}

TEST(StandalonePairs, AConvTakesInTheSigmoidThatGatesIt) {
  EXPECT_THAT(around_a_gate("y"), ElementsAre("QuantizeLinear_0", "codes"));
}

TEST(StandalonePairs, AnotherReaderOfTheGatedValueLeavesItFloat) {
  EXPECT_THAT(around_a_gate("a"), ElementsAre("QuantizeLinear_0", "QuantizeLinear_6"));
}

TEST(StandalonePairs, NameTheShortcutWithoutAPair) {
  const Model model = test::ResNet18Pairs({}).model();
  const auto found = standalone_pairs(model.graph());
  EXPECT_EQ(std::ranges::count_if(found, [](const StandalonePair& pair) { return pair.shortcut; }), 8);
  EXPECT_THAT(found[1].reason, HasSubstr("'Add_36' (Add) reads the same value as floats"));
  EXPECT_THAT(found[3].reason, HasSubstr("'Add_61' (Add) in front of it adds a shortcut without a pair"));
  EXPECT_THAT(found[3].merged, ElementsAre("QuantizeLinear_88"));
}

TEST(StandalonePairs, AQuantizerBehindANearestResizeMovesInFrontOfIt) {
  for (const bool nearest : {true, false}) {
    const std::string mode = nearest ? "nearest" : "linear";
    const Model model = parse_model_text(test::fill_tensors(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4,8,8] x) => (float[1,4,16,16] y)
<float s = {0.1}, int8 z = {0}, float[4] scales = {1, 1, 2, 2}, int8[4,4,1,1] w = {...}> {
  xq = QuantizeLinear (x, s, z)  xd = DequantizeLinear (xq, s, z)  wd = DequantizeLinear (w, s, z)
  a = Conv (xd, wd)  r = Resize <mode = ")" + mode + R"("> (a, , scales)
  rq = QuantizeLinear (r, s, z)  rd = DequantizeLinear (rq, s, z)  y = Conv (rd, wd) })"));
    EXPECT_EQ(standalone_pairs(model.graph()).size(), nearest ? 1U : 2U);
    EXPECT_EQ(int8_products(model.graph()).front().writes_codes, nearest);
  }
}

/// A Conv whose data comes from a pair through `between`, from 'd' to 'v', an activation and a pair.
Model behind_a_pair(const std::string& between) {
  return parse_model_text(test::fill_tensors(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,8,8,4] x) => (float[1,4,8,8] y)
<float s = {0.1}, int8 z = {0}, int8 lo = {-64}, int8 hi = {63}, int8[4,4,1,1] w = {...}, float[4,4,1,1] f = {...}> {
  q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)  wd = DequantizeLinear (w, s, z)
  )" + between + R"(
  a = Conv (v, wd)  r = Relu (a)
  rq = QuantizeLinear (r, s, z)  k = Clip (rq, lo, hi)  rd = DequantizeLinear (k, s, z)
  fq = QuantizeLinear (f, s, z)  fk = Clip (fq, lo, hi)  fd = DequantizeLinear (fk, s, z)
  y = Conv (rd, fd) })"));
}

// TensorFlow's exporters leave the Transpose.
TEST(StandalonePairs, ALayerBehindACopyOfItsPairReadsCodes) {
  const Model model = behind_a_pair("t = Transpose <perm = [0,3,1,2]> (d)  v = Identity (t)");
  const auto found = standalone_pairs(model.graph());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found.front().reason, HasSubstr("the network's input is float"));
  EXPECT_EQ(int8_products(model.graph()).size(), 2U);
}

TEST(StandalonePairs, ALayerBehindAnotherOperatorDoesNot) {
  const Model model = behind_a_pair("t = Transpose <perm = [0,3,1,2]> (d)  v = Softmax (t)");
  EXPECT_THAT(standalone_pairs(model.graph()).back().reason, HasSubstr("'Relu_6' (Relu) in front of it computes"));
  EXPECT_EQ(int8_products(model.graph()).size(), 1U);
}

TEST(StandalonePairs, DiamondsOfCopiesTakeNoTime) {
  std::string text = R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,4] x) => (float[N,4] y) <float s = {0.1}, int8 z = {0}> {
  q = QuantizeLinear (x, s, z)  v0 = DequantizeLinear (q, s, z)
)";
  for (int i = 0; i < 60; ++i)
    text += " v" + std::to_string(i + 1) + " = Concat <axis = 0> (v" + std::to_string(i) + ", v" + std::to_string(i) +
            ")\n";
  const Model model = parse_model_text(text + " y = Relu (v60) }");
  EXPECT_EQ(standalone_pairs(model.graph()).size(), 2U);
}

TEST(StandalonePairs, AreNoneInAFloatModel) {
  const Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[4] x) => (float[4] y) { y = Relu (x) })");
  EXPECT_TRUE(standalone_pairs(model.graph()).empty());
}

}  // namespace
}  // namespace detent
