#include "half/half_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "exec/executor.h"
#include "half/narrow_io.h"
#include "model/graph_patch.h"
#include "ops/value_types.h"
#include "run/memory_source.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// A network before and after make_half(), and the plan of the 16-bit one.
struct Halved {
  Model before, after;
  FloatReport report;

  /// Returns the first outputs of the nodes that stay FP32 -> rule.
  [[nodiscard]] std::map<std::string, std::string> kept() const {
    std::map<std::string, std::string> rules;
    for (const auto& exception : report.exceptions) rules[output_of(exception.node)] = exception.rule;
    return rules;
  }
  [[nodiscard]] std::vector<std::string> kept_nodes() const {
    std::vector<std::string> names;
    for (const auto& exception : report.exceptions) names.push_back(output_of(exception.node));
    return names;
  }
  [[nodiscard]] std::string output_of(const std::string& node) const {
    const Graph& graph = before.graph();
    return graph.value(*graph.node(*graph.find_node(node)).output(0)).name;
  }
  [[nodiscard]] int64_t casts() const {
    return std::ranges::count(after.graph().nodes(), std::string("Cast"), &Node::op_type);
  }
};

Halved halve(const std::string& body, const std::vector<Tensor>& samples, FloatType type = FloatType::Fp16,
             int opset = 22) {
  const std::string text =
      "<ir_version: 10, opset_import: [\"\" : " + std::to_string(opset) + ", \"acme\" : 1]> g " + body;
  Halved halved{parse_model_text(text), parse_model_text(text), {}};
  const Graph& graph = halved.before.graph();
  const FloatFormat format = float_format(type);
  const ValueReaches reaches = measure_reaches(graph, MemorySource(samples), RunSettings{});
  halved.report = make_half(halved.after, format, reaches);
  return halved;
}

std::vector<float> output_of(const Model& model, const Tensor& input) {
  const Graph& graph = model.graph();
  const auto outputs = run_once(graph, std::span(&input, 1), graph.outputs());
  const Tensor plain = cast(outputs.front(), DataType::Float32);
  const auto numbers = plain.data<float>();
  return {numbers.begin(), numbers.end()};
}

/// Returns the SQNR of the first output in dB.
double sqnr_db(const Halved& halved, const Tensor& input) {
  const auto x = output_of(halved.before, input), y = output_of(halved.after, input);
  double signal = 0, noise = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    signal += static_cast<double>(x[i]) * x[i];
    noise += (static_cast<double>(x[i]) - y[i]) * (static_cast<double>(x[i]) - y[i]);
  }
  return 10 * std::log10(signal / noise);
}

Tensor row(std::vector<float> numbers) {
  return Tensor::from<float>({1, static_cast<int64_t>(numbers.size())}, numbers);
}

TEST(HalfModel, WhatValuesReachDoesNotDependOnThreads) {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[N, 4] x) => (float[N, 4] y) { y = Exp (x) }");
  std::vector<Tensor> samples;
  for (int i = 0; i < 40; ++i)
    samples.push_back(row({.1F * static_cast<float>(i), .7F, -.3F, 1.0F / static_cast<float>(i + 3)}));
  const auto reach = [&](size_t threads) {
    RunSettings settings;
    settings.threads = threads;
    return measure_reaches(model.graph(), MemorySource(samples), settings).at(*model.graph().find_value("y"));
  };
  EXPECT_EQ(reach(1), reach(4));
}

TEST(HalfModel, CastsOnceBehindTheInputAndBeforeTheOutput) {
  const Halved halved = halve("(float[N, 4] x) => (float[N, 4] y) { u = Relu (x) v = Neg (x) y = Add (u, v) }",
                              {row({1, -2, 3, -4.25F})});
  EXPECT_THAT(halved.kept(), IsEmpty());
  EXPECT_EQ(halved.casts(), 2);  // both readers of x share one
  EXPECT_EQ(halved.report.casts, 2U);
  const Graph& graph = halved.after.graph();
  EXPECT_EQ(graph.value(graph.inputs()[0]).declared_type, DataType::Float32);
  EXPECT_EQ(graph.value(graph.outputs()[0]).declared_type, DataType::Float32);
  EXPECT_THAT(output_of(halved.after, row({1, -2, 3, -4.25F})), ElementsAre(0, 2, 0, 4.25F));
}

TEST(HalfModel, InputsAndOutputsMayHaveTheType) {
  Halved halved = halve("(float[N, 2] x) => (float[N, 2] y) { u = Relu (x) y = Neg (u) }", {row({1, -2})});
  const NarrowedIo narrowed = narrow_io(halved.after.graph(), DataType::Float16);
  EXPECT_EQ(narrowed.casts.size(), 2U);
  apply_patch(halved.after, narrowed.patch);
  EXPECT_EQ(halved.casts(), 0);
  const Graph& graph = halved.after.graph();
  EXPECT_EQ(graph.value(graph.inputs()[0]).declared_type, DataType::Float16);
  EXPECT_EQ(graph.value(graph.outputs()[0]).declared_type, DataType::Float16);
  EXPECT_THAT(output_of(halved.after, cast(row({1, -2}), DataType::Float16)), ElementsAre(-1, 0));
}

TEST(HalfModel, StoresConstantsInTheTypeTheyAreReadIn) {
  // The large Mul stays FP32, the other reader of the same constant does not.
  const Halved halved = halve(
      "(float[N, 2] x) => (float[N, 2] y, float[N, 2] z) <float[2] w = {300, 200}, float k = {1000}> "
      "{ z = Mul (x, w) u = Mul (x, k) y = Mul (u, w) }",
      {row({1, -2})});
  EXPECT_THAT(halved.kept_nodes(), ElementsAre("y"));
  const Graph& graph = halved.after.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("w_float16"))->type(), DataType::Float16);
  EXPECT_EQ(graph.constant(*graph.find_value("w"))->type(), DataType::Float32);
}

TEST(HalfModel, KeepsValuesBeyondTheRangeAndTheirReaders) {
  const char* body =
      "(float[N, 2] x) => (float[N, 2] y) <float k = {1000}> "
      "{ u = Mul (x, k) v = Sqrt (u) y = Neg (v) }";
  EXPECT_THAT(halve(body, {row({70, 40})}).kept_nodes(), ElementsAre("u", "v"));  // logits of 70 000
  EXPECT_THAT(halve(body, {row({33, 40})}).kept_nodes(), ElementsAre("u", "v"));  // 40 000 lacks the headroom of 2
  EXPECT_THAT(halve(body, {row({30, 20})}).kept_nodes(), IsEmpty());
  const Halved halved = halve(body, {row({70, 40})});
  EXPECT_THAT(halved.report.exceptions[0].reason, HasSubstr("'u' reaches 70000"));
  EXPECT_GT(sqnr_db(halved, row({70, 40})), 60);
}

/// LayerNorm as primitives, as exporters below opset 17 write it.
const char* const kLayerNorm =
    "(float[N, 8] x) => (float[N, 8] y) <float two = {2}, float epsilon = {1e-5}> "
    "{ m = ReduceMean <axes: ints = [-1]> (x) d = Sub (x, m) s = Pow (d, two) "
    "v = ReduceMean <axes: ints = [-1]> (s) e = Add (v, epsilon) r = Sqrt (e) n = Div (d, r) "
    "y = Neg (n) }";

TEST(HalfModel, KeepsAllOfANormalizationWhoseSquaresOverflow) {
  const Tensor large = row({1000, -1000, 900, -900, 800, -800, 700, -700});
  const Halved halved = halve(kLayerNorm, {large}, FloatType::Fp16, 13);
  EXPECT_THAT(halved.kept_nodes(), UnorderedElementsAre("m", "d", "s", "v", "e", "r", "n"));
  EXPECT_EQ(halved.kept()["s"], "overflow");
  EXPECT_EQ(halved.kept()["d"], "normalization");
  EXPECT_GT(sqnr_db(halved, large), 60);
  // The same network with small numbers is FP16 throughout.
  const Tensor small = row({1, -1, .9F, -.9F, .8F, -.8F, .7F, -.7F});
  EXPECT_THAT(halve(kLayerNorm, {small}, FloatType::Fp16, 13).kept(), IsEmpty());
}

TEST(HalfModel, KeepsAnEpsilonThatWouldVanish) {
  const auto network = [](const std::string& epsilon) {
    return "(float[N, 2] x) => (float[N, 2] y) <float epsilon = {" + epsilon +
           "}> { a = Abs (x) b = Add (a, epsilon) y = Div (x, b) }";
  };
  const Halved halved = halve(network("1e-12"), {row({1, 2})});
  EXPECT_EQ(halved.kept()["b"], "constant");
  EXPECT_EQ(halve(network("1e-12"), {row({1, 0})}).kept()["b"], "rounding");  // the sum vanishes in front of a division
  EXPECT_THAT(output_of(halved.after, row({1, 0})), ElementsAre(1, 0));       // not 0 / 0
  EXPECT_THAT(halve(network("1e-3"), {row({1, 0})}).kept(), IsEmpty());
}

TEST(HalfModel, CutsAMaskThatWouldBecomeInfinite) {
  const auto network = [](const std::string& lowest) {
    return "(float[N, 4] x) => (float[N, 4] y) <float[4] mask = {" + lowest + ", 0, 0, " + lowest +
           "}> { u = Add (x, mask) y = Softmax <axis: int = -1> (u) }";
  };
  const std::vector<Tensor> samples{row({1, 2, 3, 4})};
  const Halved halved = halve(network("-3.4e38"), samples);
  EXPECT_THAT(halved.kept(), IsEmpty());
  EXPECT_THAT(halved.report.cut_masks, ElementsAre("mask"));
  const auto before = output_of(halved.before, row({1, 2, 3, 4})), after = output_of(halved.after, row({1, 2, 3, 4}));
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(after[i], before[i], 0x1p-11);  // one rounding below 1
  EXPECT_THAT(halve(network("-1e4"), samples).report.cut_masks, IsEmpty());
}

TEST(HalfModel, ARowThatIsMaskedAsAWholeIsNoNaN) {
  const Halved halved = halve(
      "(float[N, 2] x) => (float[N, 2] y) <float k = {-3.4e38}> { m = Mul (x, k) y = Softmax <axis: int = -1> (m) }",
      {row({1, 1})});
  EXPECT_THAT(halved.kept(), IsEmpty());
  EXPECT_THAT(output_of(halved.after, row({1, 1})), ElementsAre(0.5F, 0.5F));
}

TEST(HalfModel, KeepsMasksThatOthersReadOrThatLargeScoresMeet) {
  const char* read =
      "(float[N, 2] x) => (float[N, 2] y, float[N, 2] u) <float[2] mask = {-3.4e38, 0}> "
      "{ u = Add (x, mask) y = Softmax <axis: int = -1> (u) }";
  EXPECT_THAT(halve(read, {row({1, 2})}).kept_nodes(), ElementsAre("u", "y"));
  const char* large =
      "(float[N, 2] x) => (float[N, 2] y) <float[2] mask = {-3.4e38, 0}> "
      "{ u = Add (x, mask) y = Softmax <axis: int = -1> (u) }";
  EXPECT_THAT(halve(large, {row({1, 70000})}).kept_nodes(), ElementsAre("u", "y"));
  EXPECT_THAT(halve(large, {row({1, -70000})}).kept_nodes(), ElementsAre("u", "y"));
}

TEST(HalfModel, KeepsATableOfNumbersTooSmallToBeToldApart) {
  const auto network = [](const std::string& weights) {
    return "(float[N, 2] x) => (float[N, 2] y) <float[2, 2] w = {" + weights + "}> { y = MatMul (x, w) }";
  };
  EXPECT_EQ(halve(network("1e-7, 2.3e-7, 3.1e-7, 1.7e-7"), {row({1, 2})}).kept()["y"], "rounding");
  EXPECT_THAT(halve(network("1.1e-1, 2.3e-1, 3.1e-1, 1.7e-1"), {row({1, 2})}).kept(), IsEmpty());
}

TEST(HalfModel, LetsASmallBiasBeRounded) {
  const Halved halved =
      halve("(float[N, 2] x) => (float[N, 2] y) <float[2] b = {1e-7, 2.3e-7}> { y = Add (x, b) }", {row({1, 2})});
  EXPECT_THAT(halved.kept(), IsEmpty());
}

TEST(HalfModel, KeepsAReductionWhoseSumOverflowsThoughItsMeanDoesNot) {
  const char* body = "(float[N, 1, 64, 64] x) => (float[N, 1, 1, 1] y) { y = GlobalAveragePool (x) }";
  const auto image = [](float level) { return Tensor::from<float>({1, 1, 64, 64}, std::vector<float>(4096, level)); };
  EXPECT_EQ(halve(body, {image(100)}).kept()["y"], "inner-sum");  // 409 600
  EXPECT_THAT(halve(body, {image(1)}).kept(), IsEmpty());
}

// Inner sums that exceed every value, on 64 numbers of one level; each operator's output is the level or less.
TEST(HalfModel, KeepsWhatSumsInsideBeyondTheRange) {
  const auto kept = [](const std::string& node, float level) {
    const Halved halved =
        halve("(float[1, 1, 1, 64] x) => (float[N, C, H, W] y) { " + node + " }",
              {Tensor::from<float>({1, 1, 1, 64}, std::vector<float>(64, level))}, FloatType::Fp16, 17);
    const auto rules = halved.kept();
    return rules.contains("y") ? rules.at("y") : "";
  };
  for (const char* node :
       {"y = AveragePool <kernel_shape = [1, 64]> (x)", "y = ReduceLogSum <axes = [3]> (x)",
        "y = Mean (x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)", "y = LpNormalization <axis = 3> (x)",
        "c = Constant <value = float[1] {1}> ()  y = InstanceNormalization (x, c, c)", "y = LRN <size = 5> (x)"}) {
    EXPECT_EQ(kept(node, 3000), "inner-sum") << node;  // 16 * 3000 = 48 000 and more, beyond half of 65 504
    EXPECT_EQ(kept(node, 8), "") << node;              // 64 * 8^2 = 4096 at most
  }
}

TEST(HalfModel, KeepsMeanVarianceNormalization) {
  const Halved halved = halve("(float[1, 1, 2, 2] x) => (float[N, C, H, W] y) { y = MeanVarianceNormalization (x) }",
                              {Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4})}, FloatType::Fp16, 17);
  EXPECT_EQ(halved.kept().at("y"), "cancellation");
}

// Numbers from `level` on, a step of 1/16 apart: their mean is far from 0, their differences from it are below 1.
Halved centred(const std::string& nodes, float level) {
  std::vector<float> numbers(32);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = level + static_cast<float>(i) / 16;
  return halve("(float[1, 32] x) => (float[N, 32] y) { r = Relu (x) " + nodes + " }",
               {Tensor::from<float>({1, 32}, numbers)}, FloatType::Fp16, 17);
}

TEST(HalfModel, KeepsADifferenceOfNearlyEqualNumbersAndWhatMakesThem) {
  const std::string centre = "m = ReduceMean <axes = [1]> (r) y = Sub (r, m)";
  EXPECT_THAT(centred(centre, 500).kept_nodes(), UnorderedElementsAre("r", "m", "y"));
  EXPECT_THAT(centred(centre, 0).kept_nodes(), IsEmpty());
}

TEST(HalfModel, KeepsAVarianceThatIsADifferenceOfSquares) {
  const std::string variance =
      "s = Mul (r, r) e = ReduceMean <axes = [1]> (s) m = ReduceMean <axes = [1]> (r) q = Mul (m, m) v = Sub (e, q) "
      "y = Mul (r, v)";
  EXPECT_THAT(centred(variance, 40).kept_nodes(), UnorderedElementsAre("r", "s", "e", "m", "q", "v"));
  EXPECT_THAT(centred(variance, 0).kept_nodes(), IsEmpty());
}

TEST(HalfModel, LetsExactNumbersCancel) {
  const Halved halved = halve("(float[1, 4] x) => (float[N, 4] y) <float one = {1}> { r = Relu (x) y = Sub (one, r) }",
                              {row({1, 1, 1, 0})});
  EXPECT_THAT(halved.kept(), IsEmpty());
}

TEST(HalfModel, BoundsBeyondTheRangeAreCut) {
  const Halved halved =
      halve("(float[N, 2] x) => (float[N, 2] y) <float low = {0}, float high = {3.4e38}> { y = Clip (x, low, high) }",
            {row({5, -5})});
  EXPECT_THAT(halved.kept(), IsEmpty());
  EXPECT_THAT(output_of(halved.after, row({5, -5})), ElementsAre(5, 0));
}

TEST(HalfModel, LeavesScalesOfResizeAndIntegersAlone) {
  const Halved halved = halve(
      "(float[1, 1, 2, 2] x) => (float[N, C, H, W] y, int64[K] s) <float[4] scales = {1, 1, 2, 2}> "
      "{ u = Resize <mode: string = \"nearest\"> (x, , scales) s = Shape (u) y = Neg (u) }",
      {Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4})});
  EXPECT_THAT(halved.kept(), IsEmpty());
  const Graph& graph = halved.after.graph();
  EXPECT_EQ(graph.constant(*graph.find_value("scales"))->type(), DataType::Float32);
  EXPECT_EQ(output_of(halved.after, Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4})).size(), 16U);
}

TEST(HalfModel, LeavesGraphsInsideNodesAlone) {
  const Halved halved = halve(
      "(float[N, 2] x) => (float[N, 2] y) <bool c = {1}> { u = Relu (x) v = If (c) "
      "<then_branch = t () => (float[N, 2] p) { p = Neg (u) }, else_branch = e () => (float[N, 2] q) { q = Identity "
      "(u) }> "
      "y = Abs (v) }",
      {row({1, -2})});
  EXPECT_THAT(halved.kept_nodes(), UnorderedElementsAre("u", "v"));
  EXPECT_THAT(output_of(halved.after, row({1, -2})), ElementsAre(1, 0));
}

TEST(HalfModel, WhatNoSampleReachesStaysFloat32) {
  // Nothing bounds p and b; the Sigmoid bounds c, so its reader may leave FP32.
  const Halved halved = halve(
      "(float[1,4] x) => (float[1,4] y) { a = Relu (x)  p = acme.Plugin (a)  b = Abs (p)  c = Sigmoid (b)  "
      "y = Relu (c) }",
      {Tensor::from<float>({1, 4}, {1, 2, 3, 4})});
  EXPECT_THAT(halved.kept(), UnorderedElementsAre(Pair("p", "operator"), Pair("b", "overflow"), Pair("c", "overflow")));
  EXPECT_THAT(halved.report.exceptions[1].reason, HasSubstr("no sample reaches what stands behind Plugin 'Plugin_1'"));
  EXPECT_EQ(halved.report.half_nodes, 2U) << "both Relu";
}

TEST(HalfModel, CastsThatTheFileHasAreRetyped) {
  const Halved halved = halve("(int64[N, 2] x) => (float[N, 2] y) { u = Cast <to: int = 1> (x) y = Neg (u) }",
                              {Tensor::from<int64_t>({1, 2}, {3, -4})});
  EXPECT_EQ(halved.casts(), 2);  // the Cast of the file, now to FP16, and the output's
  EXPECT_THAT(halved.kept(), IsEmpty());
}

TEST(HalfModel, CastsThatChangeNothingGo) {
  const Halved halved =
      halve("(float[N, 2] x) => (float[N, 2] y) { u = Relu (x) c = Cast <to = 1> (u) y = Neg (c) }", {row({1, -2})});
  EXPECT_EQ(halved.casts(), 2);  // behind the input and before the output
  EXPECT_THAT(output_of(halved.after, row({1, -2})), ElementsAre(-1, 0));
}

TEST(HalfModel, AModelThatIsHalfInPartLosesTheCastsBetween) {
  // The consumer reads FP16 already: d and h cast FP16 values now.
  const Halved halved = halve(
      "(float[N, 2] x) => (float[N, 2] y, float16[N, 2] h) "
      "{ a = Cast <to = 10> (x) b = Relu (a) d = Cast <to = 1> (b) e = Neg (d) h = Cast <to = 10> (e) y = Abs (e) }",
      {row({1, -2})});
  EXPECT_EQ(halved.casts(), 2);  // x -> a, and before y
  EXPECT_THAT(output_of(halved.after, row({1, -2})), ElementsAre(1, 0));
}

TEST(HalfModel, CastsOfIntegersStay) {
  const Halved halved = halve(
      "(float[N, 2] x) => (float[N, 2] y) { s = Shape (x) c = Cast <to = 1> (s) y = Add (x, c) }", {row({1, -2})});
  EXPECT_THAT(output_of(halved.after, row({1, -2})), ElementsAre(2, 0));
}

TEST(HalfModel, BFloat16HasTheRangeAndFewerDigits) {
  const char* body = "(float[N, 2] x) => (float[N, 2] y) <float k = {1000}> { u = Mul (x, k) y = Neg (u) }";
  const Halved halved = halve(body, {row({70, 40})}, FloatType::Bf16);
  EXPECT_THAT(halved.kept(), IsEmpty());
  EXPECT_THAT(output_of(halved.after, row({70, 40})), ElementsAre(-70144, -39936));  // 8 significant bits
}

struct OperatorTypeCase {
  std::string node;  ///< reads x (float[1, 4]) and k (int64[1]), writes y
  FloatType type;
  int opset;
  bool kept;
};

TEST(HalfModel, OperatorsStayFloat32WhereTheOpsetHasNoSuchType) {
  const OperatorTypeCase cases[] = {{"i = IsInf (x) y = Where (i, x, x)", FloatType::Fp16, 19, true},
                                    {"i = IsInf (x) y = Where (i, x, x)", FloatType::Fp16, 20, false},
                                    {"y, i = TopK (x, k)", FloatType::Bf16, 22, true},
                                    {"y, i = TopK (x, k)", FloatType::Fp16, 22, false},
                                    {"y = Shrink (x)", FloatType::Bf16, 22, true},
                                    {"y = Shrink (x)", FloatType::Fp16, 22, false},
                                    {"y = Celu (x)", FloatType::Fp16, 22, true},
                                    {"y = Einsum <equation = \"ij,ij->ij\"> (x, x)", FloatType::Bf16, 22, true},
                                    {"y = Einsum <equation = \"ij,ij->ij\"> (x, x)", FloatType::Fp16, 22, false}};
  for (const OperatorTypeCase& one : cases) {
    const Halved halved = halve("(float[1, 4] x) => (float[1, 4] y) <int64[1] k = {4}> { " + one.node + " }",
                                {row({1, -2, 3, -4})}, one.type, one.opset);
    const auto operators = std::ranges::count(halved.report.exceptions, "operator", &FloatReport::Exception::rule);
    EXPECT_EQ(operators > 0, one.kept) << one.node << " at opset " << one.opset;
    EXPECT_THAT(find_graph_faults(halved.after.graph()), IsEmpty()) << one.node;
  }
}

TEST(HalfModel, TheMeanOfALayerNormStaysFloat32) {
  const Halved halved = halve(
      "(float[1, 4] x) => (float[1, 4] y) <float[4] s = {1, 1, 1, 1}> "
      "{ n, m = LayerNormalization (x, s) y = Mul (n, m) }",
      {row({1, -2, 3, -4})});
  EXPECT_THAT(halved.kept(), IsEmpty());
  const Graph& graph = halved.after.graph();
  const ValueMap<DataType> types = value_types(graph);
  EXPECT_EQ(types[*graph.find_value("n")], DataType::Float16);
  EXPECT_EQ(types[*graph.find_value("m")], DataType::Float32);
  EXPECT_THAT(find_graph_faults(graph), IsEmpty());
}

TEST(NarrowIo, LeavesTheFloatsOfIntegersAlone) {
  const auto casts = [](const std::string& nodes) {
    const Model model =
        parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] x) => (float[2] y) { " + nodes +
                         " y = Cast <to = 1> (a) }");
    return narrow_io(model.graph(), DataType::Float16).casts.size();
  };
  EXPECT_EQ(casts("h = Cast <to = 10> (x) a = Neg (h)"), 2U);
  EXPECT_EQ(casts("h = Cast <to = 10> (x) a = ArgMax (h)"), 1U) << "of the input alone";
}

TEST(NarrowIo, LeavesACastThatReadsAPair) {
  const auto casts = [](const std::string& nodes) {
    const Model model = parse_model_text(
        "<ir_version: 8, opset_import: [\"\" : 19]> g (int8[2] q, float16 s) => "
        "(float[2] y) { " +
        nodes + " y = Cast <to = 1> (a) }");
    return narrow_io(model.graph(), DataType::Float16).casts.size();
  };
  EXPECT_EQ(casts("a = DequantizeLinear (q, s)"), 0U);
  EXPECT_EQ(casts("d = DequantizeLinear (q, s) w = Cast <to = 1> (d) a = Cast <to = 10> (w)"), 1U);
  EXPECT_EQ(casts("d = DequantizeLinear (q, s) a = Cast <to = 10> (d)"), 0U);
  EXPECT_EQ(casts("d = DequantizeLinear (q, s) a = Neg (d)"), 1U);
}

TEST(HalfModel, BFloat16ConvolutionsNeedOpset22) {
  const char* body = "(float[1, 1, 2, 2] x) => (float[1, 1, 2, 2] y) <float[1, 1, 1, 1] w = {2}> { y = Conv (x, w) }";
  const std::vector<Tensor> samples{Tensor::from<float>({1, 1, 2, 2}, {1, 2, 3, 4})};
  EXPECT_EQ(halve(body, samples, FloatType::Bf16, 19).kept()["y"], "operator");
  EXPECT_THAT(halve(body, samples, FloatType::Bf16, 22).kept(), IsEmpty());
}

}  // namespace
}  // namespace detent
