#include "rewrite/block_inserter.h"

#include <gtest/gtest.h>

#include "exec/executor.h"
#include "place/weights_plan.h"
#include "rewrite/gathered_codes.h"
#include "rewrite/table_quantizer.h"

namespace detent {
namespace {

std::string numbers(int count, const std::string& each) {
  std::string text = each;
  for (int i = 1; i < count; ++i) text += "," + each;
  return text;
}

/// An embedding that two nodes gather from, positions without exact codes, and a mask.
Model network() {
  std::string positions = "0.5";
  for (int i = 1; i < 1024; ++i) positions += "," + std::to_string(0.001 * (i % 97) - 0.05);
  return parse_model_text(R"(<ir_version: 10, opset_import: ["" : 21]>
    g (int64[64] ids, int64[2] more) => (float[64,16] y, float[2,16] z)
    <float[64,16] e = {)" +
                          positions + "}, float[64,16] p = {" + positions + "}, float[64,16] mask = {" +
                          numbers(1024, "-10000") + R"(}>
    { a = Gather (e, ids) b = Add (a, p) y = Add (b, mask) z = Gather (e, more) })");
}

struct Written {
  Model model = network();
  explicit Written(const char* target) {
    const Graph& graph = model.graph();
    const PlacementPlan plan = make_weights_plan(graph, find_target(target), {}, {});
    BlockedWeights weights;
    for (const TableDecision& table : plan.tables) {
      auto codes = exact_codes(*graph.constant(table.value));
      weights.emplace(table.value, codes ? *codes : *column_codes(*graph.constant(table.value)));
    }
    apply_patch(model, make_blocks_patch(graph, plan, weights, {}));
    if (const GraphPatch gathered = gather_codes(model.graph(), *plan.target); !gathered.empty())
      apply_patch(model, gathered);
  }
  [[nodiscard]] const Node& writer(const char* value) const {
    return *model.graph().producer(*model.graph().find_value(value));
  }
  [[nodiscard]] const Node& writer(const Node& node, size_t slot) const {
    return *model.graph().producer(node.input(slot));
  }
  [[nodiscard]] std::vector<Tensor> run() const {
    std::vector<int64_t> ids(64);
    for (size_t i = 0; i < 64; ++i) ids[i] = static_cast<int64_t>(63 - i);
    const std::vector<Tensor> inputs{Tensor::from<int64_t>({64}, ids), Tensor::from<int64_t>({2}, {5, -1})};
    const Graph& graph = model.graph();
    const std::vector<ValueId> wanted{*graph.find_value("y"), *graph.find_value("z")};
    return run_once(graph, inputs, wanted);
  }
};

TEST(TableInserter, LetsOnnxRuntimeGatherCodes) {
  const Written written("onnxruntime");
  for (const char* value : {"a", "z"}) {
    const Node& dequantize = written.writer(value);
    ASSERT_EQ(dequantize.op_type, "DequantizeLinear") << value;
    EXPECT_EQ(dequantize.int_or("axis", 0), -1) << "whatever axes the indices have";
    const Node& gather = written.writer(dequantize, 0);
    ASSERT_EQ(gather.op_type, "Gather");
    EXPECT_EQ(written.model.graph().constant(gather.input(0))->type(), DataType::Int8);
  }
}

TEST(TableInserter, GivesTensorRTADequantizeLinearOverTheConstant) {
  const Written written("tensorrt");
  for (const char* value : {"a", "z"}) {
    const Node& gather = written.writer(value);
    ASSERT_EQ(gather.op_type, "Gather") << value;
    const Node& dequantize = written.writer(gather, 0);
    ASSERT_EQ(dequantize.op_type, "DequantizeLinear");
    EXPECT_EQ(dequantize.int_or("axis", 0), 1);
    EXPECT_NE(written.model.graph().constant(dequantize.input(0)), nullptr);
  }
  EXPECT_EQ(written.writer("a").input(0), written.writer("z").input(0)) << "one for all readers";
}

TEST(TableInserter, StoresNoFloatsOfTables) {
  for (const char* target : {"onnxruntime", "tensorrt"}) {
    const Written written(target);
    for (const char* name : {"e", "p", "mask"}) EXPECT_EQ(written.model.graph().find_value(name), kNoValue) << name;
  }
}

TEST(TableInserter, BothFormsComputeTheSame) {
  const Written gathered("onnxruntime"), whole("tensorrt");
  EXPECT_NE(gathered.writer("z").op_type, whole.writer("z").op_type) << "two forms";
  const auto ours = gathered.run(), theirs = whole.run();
  for (size_t i = 0; i < 2; ++i)
    EXPECT_TRUE(std::ranges::equal(ours[i].data<float>(), theirs[i].data<float>())) << "output " << i;
}

}  // namespace
}  // namespace detent
