// Pairs in a model that computes in 16 bits: which type each half of a pair gets, and which bits stay.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/same_tensor.h"
#include "exec/executor.h"
#include "half/half_model.h"
#include "half/pair_bounds.h"
#include "half/pair_scales.h"
#include "model/graph_patch.h"
#include "ops/value_types.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Tensor numbers(std::vector<float> row) { return Tensor::from<float>({1, static_cast<int64_t>(row.size())}, row); }

Model model_of(const std::string& body, int opset = 21) {
  return parse_model_text("<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) + "]> g " + body);
}

/// A network with pairs before and after its cast.
struct CastPairs {
  Model before, after;
  FloatReport report;
  KeptPairs pairs;

  /// Returns the types of the outputs of all DequantizeLinear and of the inputs of all QuantizeLinear, by output.
  [[nodiscard]] std::map<std::string, DataType> pair_types() const {
    const Graph& graph = after.graph();
    const ValueMap<DataType> types = value_types(graph);
    std::map<std::string, DataType> found;
    for (const Node& node : graph.nodes())
      if (node.op_type.ends_with("uantizeLinear"))
        found[graph.value(*node.output(0)).name] =
            types[*(node.op_type == "QuantizeLinear" ? node.input(0) : node.output(0))];
    return found;
  }
  [[nodiscard]] int64_t casts() const {
    return std::ranges::count(after.graph().nodes(), std::string("Cast"), &Node::op_type);
  }
  [[nodiscard]] std::vector<std::string> rules() const {
    std::vector<std::string> names;
    for (const auto& exception : report.exceptions) names.push_back(exception.node + ": " + exception.rule);
    return names;
  }
};

CastPairs cast_pairs(const std::string& body, const std::vector<Tensor>& samples, FloatFormat format = {}) {
  CastPairs result{model_of(body), model_of(body), {}, {}};
  RoundedScales rounded = round_scales(result.after.graph(), format);
  result.pairs = rounded.pairs;
  if (!rounded.patch.empty()) apply_patch(result.after, rounded.patch);
  const Graph& graph = result.after.graph();
  const ValueReaches reaches =
      samples.empty() ? bound_reaches(graph, {}) : measure_reaches(graph, MemorySource(samples), RunSettings{});
  result.report = make_half(result.after, format, reaches);
  return result;
}

/// x -> Relu -> pair -> MatMul with a weight of codes -> Neg -> y. The scales are no FP16 numbers.
const char* const kLayer =
    "(float[N, 2] x) => (float[N, 2] y) <float s = {0.013}, int8 z = {0}, int8[2, 2] w = {1, -2, 3, 127}, "
    "float[2] ws = {0.0101, 0.0203}> { r = Relu (x) q = QuantizeLinear (r, s, z) d = DequantizeLinear (q, s, z) "
    "wd = DequantizeLinear <axis = 1> (w, ws) m = MatMul (d, wd) y = Neg (m) }";

TEST(PairModel, PairsBetweenHalfNodesHaveTheTypeAndNoCast) {
  const CastPairs cast = cast_pairs(kLayer, {numbers({1, .5F})});
  EXPECT_THAT(cast.rules(), IsEmpty());
  EXPECT_EQ(cast.casts(), 2);  // behind x and before y
  for (const auto& [name, type] : cast.pair_types()) EXPECT_EQ(type, DataType::Float16) << name;
  const Graph& graph = cast.after.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("s"))->type(), DataType::Float16);
}

TEST(PairModel, CodesAndZeroPointsKeepEveryBit) {
  const CastPairs cast = cast_pairs(kLayer, {numbers({1, .5F})});
  for (const char* name : {"w", "z"}) {
    const Graph &before = cast.before.graph(), &after = cast.after.graph();
    EXPECT_TRUE(same_tensor(*before.constant(*before.find_value(name)), *after.constant(*after.find_value(name))))
        << name;
  }
}

TEST(PairModel, ReportsHowManyScalesWereRoundedAndByHowMuch) {
  const CastPairs cast = cast_pairs(kLayer, {numbers({1, .5F})});
  EXPECT_EQ(cast.pairs.scales, 3U);
  EXPECT_EQ(cast.pairs.rounded_scales, 3U);
  EXPECT_GT(cast.pairs.largest_change, 1e-5);
  EXPECT_LE(cast.pairs.largest_change, std::ldexp(1.0, -11));
  EXPECT_EQ(cast.pairs.float32_scales, 0U);
}

TEST(PairModel, ScalesThatTheTypeHoldsAreNotRounded) {
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float s = {0.125}> { q = QuantizeLinear (x, s) d = DequantizeLinear (q, s) "
      "y = Neg (d) }",
      {numbers({1, .5F})});
  EXPECT_EQ(cast.pairs.rounded_scales, 0U);
  EXPECT_EQ(cast.pairs.largest_change, 0);
}

TEST(PairModel, AQuantizeLinearOfAGraphInputStaysFloat32WithTheNumberOfItsPartner) {
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float s = {0.013}> { q = QuantizeLinear (x, s) "
      "d = DequantizeLinear (q, s) y = Neg (d) }",
      {numbers({1, .5F})});
  EXPECT_EQ(cast.pair_types().at("q"), DataType::Float32);
  EXPECT_EQ(cast.pair_types().at("d"), DataType::Float16);
  EXPECT_EQ(cast.casts(), 1);
  const Graph& graph = cast.after.graph();
  const auto scale = [&](const char* output) {
    const Node& node = *graph.producer(*graph.find_value(output));
    const Tensor number = detent::cast(*graph.constant(node.input(1)), DataType::Float32);
    return number.data<float>()[0];
  };
  EXPECT_EQ(scale("q"), scale("d"));
}

TEST(PairModel, APairOfAValueBeyondTheRangeStaysFloat32WithItsNodes) {
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float k = {1000}, float s = {600}> { u = Mul (x, k) "
      "q = QuantizeLinear (u, s) d = DequantizeLinear (q, s) v = Mul (d, k) y = Neg (v) }",
      {numbers({70, 40})});
  EXPECT_EQ(cast.pair_types().at("q"), DataType::Float32);
  EXPECT_EQ(cast.pair_types().at("d"), DataType::Float32);
}

TEST(PairModel, AScaleThatTheTypeCannotHoldStaysFloat32) {
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float s = {1.3e-7}, int32[1, 2] w = {10000000, 5000000}> "
      "{ d = DequantizeLinear (w, s) y = Add (x, d) }",
      {numbers({1, .5F})});
  EXPECT_EQ(cast.pairs.float32_scales, 1U);
  EXPECT_EQ(cast.pair_types().at("d"), DataType::Float32);
  const Graph& graph = cast.after.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("s"))->data<float>()[0], 1.3e-7F);
  EXPECT_THAT(cast.report.exceptions.front().reason, HasSubstr("scale 1.3e-07 becomes"));
}

TEST(PairModel, AScaleNearZeroBesideLargeOnesBecomesNoZero) {
  const FloatFormat format;
  const Tensor scales = Tensor::from<float>({2}, {0.01F, 1e-9F});
  EXPECT_EQ(trouble_of_scales(scales, format), "");
  EXPECT_NE(trouble_of_scales(Tensor::from<float>({2}, {1e-5F, 1e-9F}), format), "");
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float[2] s = {0.01, 1e-9}, int8[2, 2] w = {1, 2, 3, 4}> "
      "{ d = DequantizeLinear <axis = 1> (w, s) y = MatMul (x, d) }",
      {numbers({1, .5F})});
  EXPECT_EQ(cast.pairs.small_scales, 1U);
  const Graph& graph = cast.after.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("s"))->type(), DataType::Float16);
  const Tensor written = detent::cast(*graph.constant(*graph.find_value("s")), DataType::Float32);
  EXPECT_GT(written.data<float>()[1], 0);
}

TEST(PairModel, Float32ScalesStayWithTheirLayersAndCastsStandAround) {
  FloatFormat format;
  format.half_scales = false;
  const CastPairs cast = cast_pairs(kLayer, {numbers({1, .5F})}, format);
  EXPECT_EQ(cast.pairs.rounded_scales, 0U);
  for (const auto& [name, type] : cast.pair_types()) EXPECT_EQ(type, DataType::Float32) << name;
  const Graph& graph = cast.after.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("s"))->data<float>()[0], 0.013F);
  EXPECT_EQ(value_types(graph)[*graph.find_value("m")], DataType::Float32);
  EXPECT_EQ(value_types(graph)[*graph.find_value("r")], DataType::Float16);
}

TEST(PairModel, TheSameScaleReadByOtherNodesKeepsItsNumberThere) {
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float s = {0.013}> { q = QuantizeLinear (x, s) "
      "d = DequantizeLinear (q, s) e = Exp (d) y = Pow (e, s) }",
      {numbers({1, .5F})});
  const Graph& graph = cast.after.graph();
  const Node& pair = *graph.producer(*graph.find_value("q"));
  EXPECT_EQ(graph.value(*pair.input(1)).name, "s_rounded");
}

TEST(PairModel, CastingAgainChangesNothing) {
  const CastPairs once = cast_pairs(kLayer, {numbers({1, .5F})});
  Model again = once.after.clone();
  EXPECT_TRUE(round_scales(again.graph(), {}).patch.empty());
  const FloatReport report =
      make_half(again, {}, measure_reaches(again.graph(), MemorySource(std::vector{numbers({1, .5F})}), RunSettings{}));
  EXPECT_EQ(report.half_nodes, 1U);  // the Cast behind x
  EXPECT_EQ(report.casts, 0U);
  EXPECT_EQ(again.graph().nodes().size(), once.after.graph().nodes().size());
}

/// Returns the bound of a value of a network.
double bound_of(const std::string& body, const std::string& value) {
  const Model model = model_of(body);
  return bound_reaches(model.graph(), {}).at(*model.graph().find_value(value)).amax;
}

TEST(PairBounds, APairBoundsTheValueThatItReadsAndTheOneThatItGives) {
  const char* body =
      "(float[N, 2] x) => (float[N, 2] y) <float s = {0.5}, int8 z = {0}> { q = QuantizeLinear (x, s, z) "
      "d = DequantizeLinear (q, s, z) y = Add (d, d) }";
  EXPECT_DOUBLE_EQ(bound_of(body, "x"), 64);
  EXPECT_DOUBLE_EQ(bound_of(body, "d"), 64);
  EXPECT_DOUBLE_EQ(bound_of(body, "y"), 128);
}

/// x is 250 * 64 at most. QuantizeLinear cuts it to 32 for its own reader alone.
TEST(PairBounds, AnotherReaderOfAQuantizedValueGetsTheNumberItself) {
  const auto body = [](const std::string& outputs, const std::string& readers) {
    return "(float[N, 2] x) => (float[N, 2] y" + outputs +
           ") <float s = {0.5}, float t = {0.25}, float u = {2}, int8 z = {0}, float k = {250}> "
           "{ q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) v = Mul (d, k) p = QuantizeLinear (v, t, z) "
           "e = DequantizeLinear (p, t, z) " +
           readers + " }";
  };
  EXPECT_DOUBLE_EQ(bound_of(body("", "y = Neg (e)"), "v"), 32);
  EXPECT_DOUBLE_EQ(bound_of(body("", "y = Add (e, v)"), "v"), 250 * 64);
  EXPECT_DOUBLE_EQ(bound_of(body(", float[N, 2] v", "y = Neg (e)"), "v"), 250 * 64);
  const std::string second = "r = QuantizeLinear (v, u, z) f = DequantizeLinear (r, u, z) y = Add (e, f)";
  EXPECT_DOUBLE_EQ(bound_of(body("", second), "v"), 256);
}

TEST(PairBounds, AnotherReaderOfAQuantizedValueBeyondTheRangeKeepsItFloat32) {
  const auto rules_of = [](const char* reader) {
    return cast_pairs(
               std::string("(float[N, 2] x) => (float[N, 2] y) <float s = {0.5}, float t = {0.25}, int8 z = {0}, "
                           "float k = {5000}, float h = {1e-3}> { q = QuantizeLinear (x, s, z) "
                           "d = DequantizeLinear (q, s, z) v = Mul (d, k) p = QuantizeLinear (v, t, z) "
                           "e = DequantizeLinear (p, t, z) ") +
                   reader + " }",
               {})
        .rules();
  };
  EXPECT_THAT(rules_of("m = Mul (v, h) y = Add (m, e)"), ::testing::Contains(HasSubstr(": overflow")));
  EXPECT_THAT(rules_of("m = Mul (e, h) y = Add (m, e)"), ::testing::Not(::testing::Contains(HasSubstr(": overflow"))));
}

/// An operator that may give larger numbers than it reads, and its twin that does not. x is 64 at most.
struct LargerNumbers {
  const char *name, *constants, *nodes;
  double bound;  ///< of v
};

class EnlargingOperator : public ::testing::TestWithParam<LargerNumbers> {};

TEST_P(EnlargingOperator, IsBoundedByWhatItCanGive) {
  const LargerNumbers& given = GetParam();
  const Model model = model_of(
      "(float[1, 1, 4, 4] x) => (float[N, M, H, W] y) <float s = {0.5}, int8 z = {0}" + std::string(given.constants) +
      "> { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) " + given.nodes + " y = Neg (v) }");
  const Graph& graph = model.graph();
  const ValueId v = *graph.find_value("v");
  EXPECT_DOUBLE_EQ(bound_reaches(graph, {}).at(v).amax, given.bound);
  Tensor sample(DataType::Float32, Shape{1, 1, 4, 4});  // overshoots most between numbers of two signs
  for (size_t i = 0; i < 16; ++i) sample.mutable_data<float>()[i] = (i / 4 + i) % 4 == 1 || i % 4 == 2 ? 63.5F : -64.0F;
  EXPECT_LE(measure_reaches(graph, MemorySource(std::vector{sample}), RunSettings{}).at(v).amax, given.bound);
}

constexpr double kOpen = std::numeric_limits<double>::infinity();
constexpr double kCubic = 64 * 1.375 * 1.375 * 1.375;  // 1 + 0.75 / 2 on each of three axes: the rank is unknown

INSTANTIATE_TEST_SUITE_P(
    Operators, EnlargingOperator,
    ::testing::Values(
        LargerNumbers{"PReluSteep", ", float k = {-8}", "v = PRelu (d, k)", 512},
        LargerNumbers{"PReluFlat", ", float k = {0.25}", "v = PRelu (d, k)", 64},
        LargerNumbers{"ScatterAdd", ", int64[1,1,2,1] i = {0, 0}, float[1,1,2,1] u = {3, -5}",
                      "v = ScatterElements <axis = 2, reduction = \"add\"> (d, i, u)", 64 + 2 * 5},
        LargerNumbers{"ScatterNdAdd", ", int64[2,3] i = {0,0,1,0,0,1}, float[2,4] u = {1,2,3,4,5,6,7,8}",
                      "v = ScatterND <reduction = \"add\"> (d, i, u)", 64 + 6 * 8},
        LargerNumbers{"ScatterNdMul", ", int64[1,3] i = {0,0,1}, float[1,4] u = {1,2,3,4}",
                      "v = ScatterND <reduction = \"mul\"> (d, i, u)", kOpen},
        LargerNumbers{"ScatterNdMulBelow1", ", int64[1,3] i = {0,0,1}, float[1,4] u = {1,0.5,0.5,0.25}",
                      "v = ScatterND <reduction = \"mul\"> (d, i, u)", 64},
        LargerNumbers{"ScatterNd", ", int64[1,3] i = {0,0,1}, float[1,4] u = {1,2,3,4}", "v = ScatterND (d, i, u)", 64},
        LargerNumbers{"GridSampleCubic", ", float[1,1,1,2] g = {0.5, 0.5}", "v = GridSample <mode = \"cubic\"> (d, g)",
                      kCubic},
        LargerNumbers{"GridSampleLinear", ", float[1,1,1,2] g = {0.5, 0.5}",
                      "v = GridSample <mode = \"linear\"> (d, g)", 64},
        LargerNumbers{"ResizeCubic", ", float[4] f = {1, 1, 2, 2}", "v = Resize <mode = \"cubic\"> (d, , f)", kCubic},
        LargerNumbers{"ResizeSteepCubic", ", float[4] f = {1, 1, 2, 2}",
                      "v = Resize <mode = \"cubic\", cubic_coeff_a = -2.0> (d, , f)", 64 * 8},
        LargerNumbers{"ResizeLinear", ", float[4] f = {1, 1, 2, 2}", "v = Resize <mode = \"linear\"> (d, , f)", 64},
        LargerNumbers{"Floor", "", "v = Floor (d)", 65}, LargerNumbers{"Ceil", "", "v = Ceil (d)", 65},
        LargerNumbers{"ClipFromAbove0", ", float l = {500}, float h = {900}", "v = Clip (d, l, h)", 500},
        LargerNumbers{"ClipAround0", ", float l = {-500}, float h = {6}", "v = Clip (d, l, h)", 64},
        LargerNumbers{"ReduceSumOfUnknownLength", "", "v = ReduceSum (d)", kOpen},
        LargerNumbers{"ReduceMean", "", "v = ReduceMean (d)", 64},
        LargerNumbers{"PlacesOfTopK", ", int64[1] k = {1}", "t, i = TopK (d, k) v = Cast <to = 1> (i)", kOpen},
        LargerNumbers{"NumbersOfTopK", ", int64[1] k = {1}", "v, i = TopK (d, k)", 64}),
    [](const auto& given) { return given.param.name; });

TEST(PairBounds, ASumToAnUnknownShapeMayHoldAllElements) {
  const Model model = model_of(
      "(float[1, 6] x) => (float[N] y) <float s = {0.5}, int8 z = {0}> "
      "{ q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) y = ReduceSum (d) }");
  const Graph& graph = model.graph();
  const ValueId d = *graph.find_value("d"), y = *graph.find_value("y");
  EXPECT_DOUBLE_EQ(bound_reaches(graph, {{d, Shape{1, 6}}}).at(y).amax, 6 * 64);
  EXPECT_DOUBLE_EQ(bound_reaches(graph, {{d, Shape{1, 6}}, {y, Shape{2}}}).at(y).amax, 3 * 64);
}

TEST(PairBounds, AZeroPointWidensOneSide) {
  EXPECT_DOUBLE_EQ(bound_of("(float[N, 2] x) => (float[N, 2] y) <float s = {0.5}, uint8 z = {10}> "
                            "{ q = QuantizeLinear (x, s, z) y = DequantizeLinear (q, s, z) }",
                            "y"),
                   122.5);
}

TEST(PairBounds, WeightsBoundALayerByTheLargestSumOfAnOutput) {
  const char* body =
      "(float[N, 2] x) => (float[N, 2] y) <float s = {0.5}, int8 z = {0}, int8[2, 2] w = {1, -2, 3, 5}, "
      "float ws = {2}> { q = QuantizeLinear (x, s, z) d = DequantizeLinear (q, s, z) wd = DequantizeLinear (w, ws) "
      "y = MatMul (d, wd) }";
  EXPECT_DOUBLE_EQ(bound_of(body, "wd"), 10);
  EXPECT_DOUBLE_EQ(bound_of(body, "y"), 64 * 14);  // |-2| + |5|, times 2
}

TEST(PairBounds, WithoutAPairAnInputHasNoBoundAndASigmoidEndsThat) {
  const char* body = "(float[N, 2] x) => (float[N, 2] y) { e = Exp (x) y = Sigmoid (e) }";
  EXPECT_TRUE(std::isinf(bound_of(body, "e")));
  EXPECT_DOUBLE_EQ(bound_of(body, "y"), 1);
}

TEST(PairBounds, ALayerWithoutABoundStaysFloat32AndTheReasonNamesData) {
  const CastPairs cast = cast_pairs(
      "(float[N, 2] x) => (float[N, 2] y) <float s = {0.5}> { e = Exp (x) q = QuantizeLinear (e, s) "
      "d = DequantizeLinear (q, s) y = Neg (d) }",
      {});
  EXPECT_THAT(cast.report.exceptions.front().reason, HasSubstr("bounds 'x'; --data measures it"));
  EXPECT_EQ(cast.pair_types().at("d"), DataType::Float16);
}

/// A bound holds for every input: no sample exceeds it.
TEST(PairBounds, NoMeasuredValueExceedsItsBound) {
  const Model model = model_of(kLayer);
  const ValueReaches bounds = bound_reaches(model.graph(), {});
  const ValueReaches measured = measure_reaches(
      model.graph(), MemorySource(std::vector{numbers({1, .5F}), numbers({1.6F, 1.6F})}), RunSettings{});
  for (const auto& [value, reach] : measured)
    EXPECT_LE(reach.amax, bounds.at(value).amax) << model.graph().value(value).name;
}

}  // namespace
}  // namespace detent
