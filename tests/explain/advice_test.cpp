#include "explain/advice.h"

#include <gmock/gmock.h>

#include "explain/engine_text.h"
#include "explain/explain_layers.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(NodePattern, OfOneNodeIsItsName) {
  EXPECT_EQ(pattern_of({"/a/Conv"}, {"/a/Conv", "/b/Conv"}), "/a/Conv");
  EXPECT_EQ(pattern_of({"Conv_1"}, {"Conv_1", "Conv_12"}), "^Conv_1$") << "a search would find Conv_12 too";
  EXPECT_EQ(pattern_of({"a(1)+b"}, {}), "a\\(1\\)\\+b");
}

TEST(NodePattern, OfAlikeNamesHasTheNumbersThatDiffer) {
  EXPECT_EQ(pattern_of({"/s.0/b.1/Conv", "/s.10/b.1/Conv"}, {"/s.0/b.1/Conv", "/s.10/b.1/Conv", "/s.0/b.2/Conv"}),
            "^/s.[0-9]+/b.1/Conv$");
}

TEST(NodePattern, FindsNoOtherNode) {
  EXPECT_EQ(pattern_of({"Add_1", "Add_3"}, {"Add_1", "Add_2", "Add_3"}), "Add_1|Add_3");
  EXPECT_EQ(pattern_of({"Add_1", "Add_3", "Mul_4"}, {"Add_1", "Add_3", "Mul_4", "Add_31"}), "^(Add_1|Add_3|Mul_4)$");
}

/// A pool in floats between two Convs; the first writes floats for it, and a quantizer stands behind it.
BuiltEngine engine_with_pool(double quantizer_ms) {
  BuiltEngine engine{"detailed",
                     {pair_node("QuantizeLinear_1", {"x", kLinear, 100}, {"q", kCodes, 100}),
                      int8_conv("Conv_2", {{"q", kCodes}}, {"a", kLinear}),
                      plain_layer("Pooling", "AveragePool_3", {{"a", kLinear}}, {"b", kLinear}),
                      pair_node("QuantizeLinear_4", {"b", kLinear}, {"r", kCodes}),
                      int8_conv("Conv_5", {{"r", kCodes}}, {"y", kCodes})},
                     {"x", "y"}};
  for (EngineLayer& layer : engine.layers) layer.ms = 1;
  engine.layers[3].ms = quantizer_ms;
  return engine;
}

TEST(Advice, BeginsWithTheDearestReasonAndItsCure) {
  const auto advice = explain_with_advice(engine_with_pool(4)).advice;
  ASSERT_THAT(advice, SizeIs(2));
  EXPECT_EQ(advice[0].finding, "float_reader");
  EXPECT_EQ(advice[0].layers, 1U);
  EXPECT_DOUBLE_EQ(advice[0].share, 0.5);
  EXPECT_THAT(advice[0].cure, HasSubstr("detent quantize --include AveragePool_3"));
  EXPECT_FALSE(advice[0].bytes) << "its file has no extents";
  EXPECT_EQ(advice[1].finding, "network_border");
  EXPECT_EQ(advice[1].bytes.value_or(0), 500) << "100 floats and 100 codes";
  EXPECT_EQ(explain_with_advice(engine_with_pool(0.5)).advice.at(0).finding, "network_border");
}

TEST(Advice, CountsNoBytesOfExtentsThatCannotBe) {
  BuiltEngine engine = engine_with_pool(1);
  engine.layers[0].inputs[0].elements = 1e300;
  const auto rows = explain_layers(engine);
  EXPECT_FALSE(rows.at(0).bytes);
}

TEST(Advice, IsEmptyForAnEngineWithoutOverhead) {
  EXPECT_THAT(explain_with_advice({"detailed", {int8_conv("Conv_1", {{"x", kCodes}}, {"y", kCodes})}}).advice,
              IsEmpty());
}

TEST(Advice, OfAnEngineWithoutPairsIsToQuantize) {
  BuiltEngine engine{"detailed", {plain_layer("CaskConvolution", "Conv_1", {{"x", kHalf8}}, {"y", kHalf8})}};
  const auto advice = explain_with_advice(engine).advice;
  ASSERT_THAT(advice, SizeIs(1));
  EXPECT_EQ(advice[0].finding + ": " + advice[0].cure, "no_pairs: detent quantize MODEL.onnx");
  engine.layers.push_back(int8_conv("Conv_2", {{"z", kCodes}}, {"y", kCodes}));
  EXPECT_THAT(explain_with_advice(engine).advice, IsEmpty());
}

TEST(Advice, HasOneCommandForAllNodesOfAKind) {
  BuiltEngine engine{"detailed", {}, {"x", "y"}};
  for (const char* number : {"1", "2"}) {
    const std::string end = number;
    engine.layers.push_back(plain_layer("Pooling", "AveragePool_" + end, {{"p" + end, kLinear}}, {"b" + end, kLinear}));
    engine.layers.push_back(pair_node("QuantizeLinear_" + end, {"b" + end, kLinear}, {"r" + end, kCodes}));
    engine.layers.push_back(int8_conv("Conv_" + end, {{"r" + end, kCodes}}, {"c" + end, kCodes}));
  }
  EXPECT_THAT(explain_with_advice(engine).advice.at(0).cure, HasSubstr("--include '^AveragePool_[0-9]+$'; in a file"));
}

}  // namespace
}  // namespace detent
