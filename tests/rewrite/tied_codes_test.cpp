#include "rewrite/tied_codes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "exec/executor.h"
#include "rewrite/planned_graph.h"

namespace detent {
namespace {

using namespace test;

/// 4 rows of 2, and the same transposed.
constexpr const char* kTable = "0.5,-0.25,1.5,0.75,-2.5,1.25,3,-0.5";
constexpr const char* kTurned = "0.5,1.5,-2.5,3,-0.25,0.75,1.25,-0.5";

PlannedGraph network(const std::string& weight, const std::string& product) {
  return PlannedGraph(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (int64[3] ids) => (float[3,4] y, float[3,2] z) <float[4,2] t = {)" +
                                       std::string(kTable) + "}, " + weight + R"(> {
      r = Gather (t, ids) z = Relu (r) y = )" +
                                       product + "}"));
}

struct Shared {
  Model plain, shared;
  GraphPatch patch;

  explicit Shared(PlannedGraph planned, int axis) : plain(planned.model.clone()), shared(planned.model.clone()) {
    planned.weight("Gather_0", 0, 1);
    planned.weight(planned.graph().node(NodeId{2}).name.c_str(), 1, axis);
    const std::vector<TiedTable> tied = find_tied_tables(planned.graph(), planned.plan);
    plain = planned.rewritten();
    shared = plain.clone();
    patch = share_tied_codes(shared.graph(), tied);
    if (!patch.empty()) apply_patch(shared, patch);
  }
  [[nodiscard]] static size_t codes(const Model& model) {
    size_t found = 0;
    for (const Value& value : model.graph().values())
      if (const Tensor* tensor = model.graph().constant(value.id))
        found += tensor->type() == DataType::Int8 && tensor->element_count() == 8;
    return found;
  }
  [[nodiscard]] static std::vector<Tensor> run(const Model& model) {
    const std::vector<Tensor> ids{Tensor::from<int64_t>({3}, {2, 0, 3})};
    const Graph& graph = model.graph();
    return run_once(graph, ids, std::vector<ValueId>{*graph.find_value("y"), *graph.find_value("z")});
  }
  /// Expects one copy of the codes, and rows that are less than two steps away.
  void expect_one_copy() const {
    EXPECT_EQ(codes(shared), 1U);
    const std::vector<Tensor> before = run(plain), after = run(shared);
    for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(before[1].data<float>()[i], after[1].data<float>()[i], 2 * 3.0 / 127);
  }
};

TEST(TiedCodes, AGemmThatTransposesTheTableHasTheOnlyCodes) {
  const Shared tied(network("float w = {0}", "Gemm <transB = 1> (z, t)"), 0);
  tied.expect_one_copy();
  EXPECT_EQ(count(tied.shared, "Transpose"), 0U);
  EXPECT_EQ(count(tied.shared, "DequantizeLinear"), 1U);
}

TEST(TiedCodes, ATransposedCopyOfTheTableHasTheOnlyCodes) {
  const Shared tied(network(std::string("float[2,4] w = {") + kTurned + "}", "MatMul (z, w)"), 1);
  EXPECT_EQ(Shared::codes(tied.plain), 2U);
  tied.expect_one_copy();
  EXPECT_EQ(count(tied.shared, "Transpose"), 1U);
  EXPECT_EQ(producer(tied.shared, reads(tied.shared, "MatMul_2", 1)).op_type, "DequantizeLinear") << "as it was";
}

TEST(TiedCodes, OtherNumbersAndOneScaleKeepTwoCopies) {
  const std::string other = "float[2,4] w = {0.5,1.5,-2.5,3,-0.25,0.75,1.25,-0.75}";
  EXPECT_TRUE(Shared(network(other, "MatMul (z, w)"), 1).patch.empty()) << "the last number differs";
  const std::string turned = std::string("float[2,4] w = {") + kTurned + "}";
  EXPECT_TRUE(Shared(network(turned, "MatMul (z, w)"), -1).patch.empty()) << "rows have no scale each";
}

}  // namespace
}  // namespace detent
