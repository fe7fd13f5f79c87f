// Weights of products in blocks: small ones become floats once, many stay codes, and no bit of the result depends on
// it.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/memory_limit.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/graph_patch.h"
#include "model/model.h"

namespace detent {
namespace {

/// Makes y = relu(x W) with int8 codes of `rows` x `columns` in blocks of 32 rows.
Model network(int64_t rows, int64_t columns) {
  Model model = parse_model_text("<ir_version: 10, opset_import: [\"\" : 21]> g (float[2," + std::to_string(rows) +
                                 "] x) => (float[2," + std::to_string(columns) +
                                 "] y) <float[1,1] old = {1}> { p = MatMul (x, old) y = Relu (p) }");
  Tensor codes(DataType::Int8, {rows, columns}), scales(DataType::Float32, {rows / 32, columns});
  auto code = codes.mutable_data<int8_t>();
  for (size_t i = 0; i < code.size(); ++i) code[i] = static_cast<int8_t>(i * 7919 % 255 - 127);
  auto scale = scales.mutable_data<float>();
  for (size_t i = 0; i < scale.size(); ++i) scale[i] = 0.001F * static_cast<float>(1 + i % 13);
  GraphPatch patch{.reason = "a weight in blocks"};
  patch.add_initializers.emplace_back("codes", std::move(codes));
  patch.add_initializers.emplace_back("scales", std::move(scales));
  patch.add_nodes.push_back({"DequantizeLinear",
                             "dequantize",
                             {"codes", "scales"},
                             {"w"},
                             {{"axis", int64_t{0}}, {"block_size", int64_t{32}}},
                             ""});
  patch.rewire.push_back({model.graph().nodes()[0].name, 1, "w"});
  apply_patch(model, patch);
  return model;
}

Tensor input(int64_t rows) {
  Tensor x(DataType::Float32, {2, rows});
  auto numbers = x.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 101) * 0.01F - 0.5F;
  return x;
}

TEST(CodesInMemory, AFewWeightsBecomeFloatsOnce) {
  const Model model = network(1024, 1024);
  const Graph& graph = model.graph();
  const Schedule schedule(graph, graph.outputs());
  EXPECT_NE(schedule.constant(*graph.find_value("w")), nullptr);
}

constexpr int64_t kSide = 2048;  // 16 MiB of floats: freed blocks of less are remembered

/// Returns the bytes that a schedule over network(kSide, kSide) holds when it has run once.
uint64_t held_by(const Model& model, const std::vector<ValueId>& wanted) {
  struct Ignore : Observer {
    void observe(ValueId, const Tensor&) override {}
  } ignore;
  const uint64_t before = held_memory();
  const Schedule schedule(model.graph(), wanted);
  {
    Executor executor(schedule);
    executor.run(std::vector{input(kSide)}, ignore);
  }
  return held_memory() - before;
}

TEST(CodesInMemory, FloatsAreGoneWhenTheProductHasPackedThem) {
  const Model model = network(kSide, kSide);
  const Graph& graph = model.graph();
  constexpr uint64_t kFloats = kSide * kSide * sizeof(float);
  EXPECT_LT(held_by(model, {*graph.find_value("y")}), kFloats * 3 / 2);
  EXPECT_GE(held_by(model, {*graph.find_value("y"), *graph.find_value("w")}), 2 * kFloats)
      << "another reader needs them";
}

TEST(CodesInMemory, ManyStayCodesAndGiveTheSameBits) {
  constexpr int64_t kRows = 4096, kColumns = 4160;  // 65 MiB of floats
  const Model model = network(kRows, kColumns);
  const Graph& graph = model.graph();
  const Schedule schedule(graph, graph.outputs());
  EXPECT_EQ(schedule.constant(*graph.find_value("w")), nullptr);
  const std::vector<Tensor> inputs{input(kRows)};
  const std::vector<ValueId> wanted{*graph.find_value("w"), *graph.find_value("y")};
  const std::vector<Tensor> values = run_once(graph, inputs, wanted);

  Model floats = model.clone();
  GraphPatch patch{.reason = "the weight as floats"};
  patch.add_initializers.emplace_back("floats", values[0]);
  patch.rewire.push_back({graph.producer(*graph.find_value("p"))->name, 1, "floats"});
  patch.remove_nodes = {"dequantize"};
  apply_patch(floats, patch);
  const std::vector<ValueId> result{*floats.graph().find_value("y")};
  const std::vector<Tensor> expected = run_once(floats.graph(), inputs, result);
  EXPECT_TRUE(std::ranges::equal(values[1].data<float>(), expected[0].data<float>()));
}

}  // namespace
}  // namespace detent
