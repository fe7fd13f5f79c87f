#include "place/plan/placement_plan.h"
#include "ops/op_list.h"

#include <gtest/gtest.h>

#include "model/model.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"

namespace detent {
namespace {

constexpr const char* kUnet = R"(
  <ir_version: 8, opset_import: ["" : 17]>
  g (float[1,16,8,8] x) => (float[1,4,8,8] y)
  <float[16,16,3,3] w = {...}, float[16] bias = {...}, float[16,8,2,2] t = {...}, float[16,24,3,3] v = {...},
   float[4,16,1,1] h = {...}>
  {
    skip = Conv <pads = [1,1,1,1]> (x, w, bias)
    p = MaxPool <kernel_shape = [2,2], strides = [2,2]> (skip)
    u = ConvTranspose <strides = [2,2]> (p, t)
    k = Concat <axis = 1> (u, skip)
    c = Conv <pads = [1,1,1,1]> (k, v)
    y = Conv (c, h)
  })";

class PlanOfAUnet : public testing::Test {
 protected:
  PlanOfAUnet() : model_(parse_model_text(test::fill_tensors(kUnet))) {}
  [[nodiscard]] const Graph& graph() const { return model_.graph(); }
  [[nodiscard]] ValueId value(const char* name) const { return *graph().find_value(name); }
  [[nodiscard]] NodeId writer(const char* name) const { return *graph().value(value(name)).producer; }
  [[nodiscard]] ValueShapes shapes() const {
    return {{value("x"), {1, 16, 8, 8}}, {value("skip"), {1, 16, 8, 8}}, {value("p"), {1, 16, 4, 4}},
            {value("u"), {1, 8, 8, 8}},  {value("k"), {1, 24, 8, 8}},    {value("c"), {1, 16, 8, 8}},
            {value("y"), {1, 4, 8, 8}}};
  }
  Model model_;
};

TEST_F(PlanOfAUnet, ListsEveryDataInputOfEveryNodeOnce) {
  const PlacementPlan plan = make_placement_plan(graph(), find_target("tensorrt"), {});
  std::vector<std::pair<std::string, int>> edges;
  for (const EdgeDecision& edge : plan.edges) edges.emplace_back(graph().value(edge.value).name, edge.slot);
  const std::vector<std::pair<std::string, int>> wanted{{"x", 0},    {"skip", 0}, {"p", 0}, {"u", 0},
                                                        {"skip", 1}, {"k", 0},    {"c", 0}};
  EXPECT_EQ(edges, wanted);
}

TEST_F(PlanOfAUnet, ValuesWithPairsAreListedOnceAndGroupsHoldThem) {
  const PlacementPlan plan = make_placement_plan(graph(), find_target("tensorrt"), {});
  std::vector<ValueId> wanted{value("x"), value("p"), value("k"), value("c")};
  std::sort(wanted.begin(), wanted.end());
  EXPECT_EQ(plan.quantized_values(), wanted);
  ASSERT_EQ(plan.scale_groups().size(), 1U);
  EXPECT_EQ(plan.scale_groups()[0].size(), 2U);  // p and k
  const auto group = [&](const char* reader) {
    return plan.about(plan.find_edge(writer(reader), 0)->value).scale_group;
  };
  EXPECT_EQ(group("u"), group("c"));
  EXPECT_EQ(group("y"), -1);
}

TEST_F(PlanOfAUnet, LooksUpEdgesAndLayersAndSaysWhenThereIsNone) {
  const PlacementPlan plan = make_placement_plan(graph(), find_target("tensorrt"), {});
  EXPECT_NE(plan.find_edge(writer("k"), 1), nullptr);
  EXPECT_EQ(plan.find_edge(writer("skip"), 1), nullptr);  // the weight is not a data input
  EXPECT_NE(plan.find_layer(writer("u")), nullptr);
  EXPECT_EQ(plan.find_layer(writer("k")), nullptr);
}

TEST_F(PlanOfAUnet, CountsMacsParametersAndBytes) {
  PlacementRequest options;
  options.exclude_op = {"ConvTranspose"};
  const CoverageReport sum = make_placement_plan(graph(), find_target("tensorrt"), options, shapes()).coverage;
  const int64_t conv1 = 16 * 64 * (16 * 9), deconv = 16 * 16 * (8 * 4), conv2 = 16 * 64 * (24 * 9), head = 4 * 64 * 16;
  EXPECT_EQ(sum.macs, conv1 + deconv + conv2 + head);
  EXPECT_EQ(sum.int8_macs, conv1 + conv2 + head);
  EXPECT_EQ(sum.layers, 4);
  EXPECT_EQ(sum.int8_layers, 3);
  EXPECT_EQ(sum.params, (16 * 16 * 9 + 16) + 16 * 8 * 4 + 16 * 24 * 9 + 4 * 16);
  EXPECT_EQ(sum.params - sum.int8_params, 16 * 8 * 4);
  // x, skip, p, u, k, c are read; x, k and c carry pairs.
  EXPECT_EQ(sum.activation_bytes, 4 * (16 * 64 + 16 * 64 + 16 * 16 + 8 * 64 + 24 * 64 + 16 * 64));
  EXPECT_EQ(sum.int8_activation_bytes, 4 * (16 * 64 + 24 * 64 + 16 * 64));
  EXPECT_EQ(sum.pairs, 3);
  // In the types of the file INT8 values take one byte; float values keep their size.
  EXPECT_EQ(sum.types.int8.macs, sum.int8_macs);
  EXPECT_EQ(sum.types.float32.macs, deconv);
  EXPECT_EQ(sum.types.int8.activation_bytes, sum.int8_activation_bytes / 4);
  EXPECT_EQ(sum.types.float32.activation_bytes, sum.activation_bytes - sum.int8_activation_bytes);
  EXPECT_FALSE(sum.types.has_half());
}

TEST_F(PlanOfAUnet, WithoutShapesCostsAreZeroButCountsAreNot) {
  const CoverageReport sum = make_placement_plan(graph(), find_target("tensorrt"), {}).coverage;
  EXPECT_EQ(sum.macs, 0);
  EXPECT_EQ(sum.activation_bytes, 0);
  EXPECT_EQ(sum.layers, 4);
  EXPECT_GT(sum.params, 0);
}

TEST(PlacementPlan, ProductsCountTheirInnerExtent) {
  const Model model = parse_model_text(test::fill_tensors(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[5,32] x) => (float[5,24] y) <float[32,48] a = {...}, float[24,48] b = {...}>
    { m = MatMul (x, a)  y = Gemm <transB = 1> (m, b) })"));
  const Graph& graph = model.graph();
  const ValueShapes shapes{{*graph.find_value("m"), {5, 48}}, {*graph.find_value("y"), {5, 24}}};
  const PlacementPlan plan = make_placement_plan(graph, find_target("tensorrt"), {}, shapes);
  ASSERT_EQ(plan.layers.size(), 2U);
  EXPECT_EQ(plan.layers[0].macs, 5 * 48 * 32);
  EXPECT_EQ(plan.layers[1].macs, 5 * 24 * 48);
}

TEST(PlacementPlan, EmptyGraphGivesAnEmptyPlan) {
  const Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 17]>
    g (float[1] x) => (float[1] y) { y = Identity (x) })");
  for (const Target& target : target_list()) {
    const PlacementPlan plan = make_placement_plan(model.graph(), target, {});
    EXPECT_EQ(plan.target, &target);
    EXPECT_TRUE(plan.layers.empty());
    // A calibration cache has every value, and so has a graph without floats.
    EXPECT_EQ(plan.quantized_values().empty(), !target.engine.whole_graph && target.engine.takes_pairs);
    EXPECT_EQ(plan.edges.size(), 1U);
  }
}

// Commuting is a fact about the operator; the rule of commuting ops relies on the list.
TEST(PlacementPlan, OperatorsOfTheCommutingRuleAreMarkedAsCommuting) {
  for (const OperatorDef& op : operator_list()) {
    switch (op.traits.kind) {
      case OpKind::MaxPool:
      case OpKind::Reshape:
      case OpKind::Transpose:
      case OpKind::Slice:
      case OpKind::Split:
      case OpKind::Gather:
      case OpKind::Tile:
      case OpKind::Expand:
      case OpKind::Pad:
      case OpKind::GatherND:
      case OpKind::DepthToSpace:
      case OpKind::SpaceToDepth: EXPECT_TRUE(op.traits.commutes) << op.op_type; break;
      case OpKind::AveragePool:
      case OpKind::Relu:
      case OpKind::Add:
      case OpKind::Conv: EXPECT_FALSE(op.traits.commutes) << op.op_type; break;
      default: break;
    }
  }
}

TEST(PlacementPlan, CodesAreSignedWhereTheEngineWantsZeroPoint0) {
  PlacementPlan plan;
  const ValueId other{0}, value{1};
  plan.values[value].symmetric = true;
  EXPECT_EQ(plan.code_type(other, {-1, 3}, DataType::UInt8), DataType::UInt8) << "another value";
  EXPECT_EQ(plan.code_type(value, {-1, 3}, DataType::UInt8), DataType::Int8);
  EXPECT_EQ(plan.code_type(value, {-1, 3}, DataType::UInt16), DataType::Int16);
  EXPECT_EQ(plan.code_type(value, {-1, 3}, DataType::Int8), DataType::Int8);
  EXPECT_EQ(plan.code_type(value, {0, 3}, DataType::UInt8), DataType::UInt8) << "its zero point is 0 anyway";
  EXPECT_EQ(plan.code_type(value, {-1, 3, .01F, 128}, DataType::UInt8), DataType::Int8) << "the same codes, moved";
  EXPECT_EQ(plan.code_type(value, {-1, 3, .01F, 100}, DataType::UInt8), DataType::UInt8) << "a given zero point stays";
}

TEST(PlacementPlan, CodesThatMayBeSignedAreWhereTheyHaveAboutAsManySteps) {
  PlacementPlan plan;
  const ValueId value{0};
  plan.values[value].near_symmetric = true;
  EXPECT_EQ(plan.code_type(value, {-2, 3}, DataType::UInt8), DataType::Int8) << "6 instead of 5";
  EXPECT_EQ(plan.code_type(value, {-3, 2}, DataType::UInt8), DataType::Int8);
  EXPECT_EQ(plan.code_type(value, {-1, 3}, DataType::UInt8), DataType::UInt8) << "6 instead of 4";
  EXPECT_EQ(plan.code_type(value, {0, 3}, DataType::UInt8), DataType::UInt8);
  EXPECT_EQ(plan.code_type(value, {-2, 3, .02F, 100}, DataType::UInt8), DataType::UInt8) << "a given zero point stays";
  plan.values[value].unsigned_codes = true;
  EXPECT_EQ(plan.code_type(value, {-2, 3}, DataType::UInt8), DataType::UInt8) << "another reader wants a zero point";
}

TEST(PlacementPlan, AnEdgeReadsTheCodesOfItsValueOrThoseOfTheOtherWidth) {
  PlacementPlan plan;
  const ValueId narrow{0}, wide{1};
  plan.values = {{narrow, {.pair = true}}, {wide, {.pair = true, .wide = true}}};
  const auto codes = [&](ValueId value, Reads reads) {
    return name_of(plan.codes_of({.value = value, .reads = reads}));
  };
  EXPECT_EQ(codes(narrow, Reads::Pair), "INT8");
  EXPECT_EQ(codes(narrow, Reads::SecondPair), "A16W8");
  EXPECT_EQ(codes(wide, Reads::Pair), "A16W8");
  EXPECT_EQ(codes(wide, Reads::SecondPair), "INT8");
}

TEST_F(PlanOfAUnet, TakesPairsAwayWithTheirDecisionsAndLeavesTheOthers) {
  PlacementPlan plan = make_placement_plan(graph(), find_target("tensorrt"), {});
  const ValueId k = *graph().find_value("k"), c = *graph().find_value("c");
  ASSERT_TRUE(plan.about(k).pair && plan.about(c).pair);
  plan.values[*graph().find_value("y")] = {};  // a value whose range must be known
  plan.take_pairs([&](ValueId value) { return value != c; });
  EXPECT_EQ(plan.paired_values(), std::vector<ValueId>{c});
  EXPECT_EQ(plan.quantized_values().size(), 2U) << "c and y";
  for (const EdgeDecision& edge : plan.edges) EXPECT_EQ(edge.reads_pair(), edge.value == c);
}

TEST(Runs, HaveOneNameEach) {
  for (const CodeType type : {CodeType::Int8, CodeType::Fp8, CodeType::A16W8}) {
    EXPECT_EQ(codes_of(runs_on(type)), type);
    EXPECT_EQ(name_of(runs_on(type)), name_of(type));
  }
  EXPECT_EQ(name_of(Runs::Dynamic), "dynamic");
  for (const Runs runs : {Runs::Float, Runs::Rounded}) {
    EXPECT_FALSE(on_codes(runs));
    EXPECT_EQ(name_of(runs), "float");
  }
}

}  // namespace
}  // namespace detent
