// The nodes that stand for a product with scales at run time, and the check of the written file.
#include "rewrite/dynamic_product.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "exec/executor.h"
#include "place/make_plan.h"
#include "place/placement_case_reader.h"
#include "rewrite/check_qdq_file.h"
#include "rewrite/qdq_inserter.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two products read x; `w` has one reader as it is, and one that turns it.
constexpr const char* kDynamicNetwork = R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[4,16] x) => (float[4,16] y, float[4,16] z)
<float[16,16] w = {...}, float[16] b = {...}>
{
  m = MatMul (x, w)
  y = Add (m, b)
  z = Gemm <transB = 1> (x, w, b)
})";

struct DynamicNetwork {
  explicit DynamicNetwork(const RewriteOptions& format = {})
      : floats(parse_model_text(test::fill_tensors(kDynamicNetwork))), model(floats.clone()) {
    PlacementRequest placement;
    placement.dynamic_products = true;
    const PlacementPlan plan = make_placement_plan(model.graph(), find_target("onnxruntime"), placement);
    EXPECT_THAT(plan.quantized_values(), IsEmpty());
    promised = promise_of(model.graph(), plan);
    RewriteOptions options = format;
    options.activation.type = DataType::UInt8;
    GraphPatch replaced;
    replaced.remove_nodes = replaced_products(model.graph(), plan);
    apply_patch(model, make_qdq_patch(model.graph(), plan, {}, options).patch);
    apply_patch(model, replaced);
  }
  [[nodiscard]] const Graph& graph() const { return model.graph(); }
  [[nodiscard]] std::vector<const Node*> nodes(std::string_view op) const {
    std::vector<const Node*> found;
    for (const Node& node : graph().nodes())
      if (node.op_type == op) found.push_back(&node);
    return found;
  }
  void replace(const std::string& constant, Tensor tensor) {
    GraphPatch patch;
    patch.replace_constants.emplace_back(constant, std::move(tensor));
    apply_patch(model, patch);
  }
  [[nodiscard]] std::vector<Flaw> flaws() const { return find_qdq_flaws(graph(), promised); }

  Model floats, model;
  PromisedFile promised;
};

std::vector<Tensor> run(const Model& model, const Tensor& x) {
  const Graph& graph = model.graph();
  const std::vector<ValueId> wanted(graph.outputs().begin(), graph.outputs().end());
  OutputKeeper keeper(graph, wanted);
  Executor(Schedule(graph, wanted)).run(std::vector<Tensor>{x}, keeper);
  return keeper.take();
}

TEST(DynamicProducts, ShareTheQuantizerOfAValueAndAreNamedAfterTheirNodes) {
  const DynamicNetwork network;
  EXPECT_EQ(network.nodes("DynamicQuantizeLinear").size(), 1U);
  const auto products = network.nodes("MatMulInteger");
  ASSERT_EQ(products.size(), 2U);
  std::vector<std::string> names{products[0]->name, products[1]->name};
  std::ranges::sort(names);
  EXPECT_THAT(names, ElementsAre("Gemm_2_MatMulInteger", "MatMul_0_MatMulInteger"));
  EXPECT_THAT(network.nodes("MatMul"), IsEmpty());
  EXPECT_THAT(network.nodes("Gemm"), IsEmpty());
  EXPECT_THAT(network.flaws(), IsEmpty());
}

// ONNX Runtime makes DynamicQuantizeMatMul of this order alone.
TEST(DynamicProducts, MultiplyTheScaleOfTheDataByThatOfTheWeight) {
  const DynamicNetwork network;
  for (const Node* product : network.nodes("MatMulInteger")) {
    const Node& cast = network.graph().node(network.graph().value(*product->output(0)).uses.at(0).node);
    const Node& scaled = network.graph().node(network.graph().value(*cast.output(0)).uses.at(0).node);
    const Node* scales = network.graph().producer(scaled.input(1));
    ASSERT_NE(scales, nullptr);
    EXPECT_EQ(network.graph().producer(scales->input(0))->op_type, "DynamicQuantizeLinear");
    EXPECT_EQ(network.graph().constant(scales->input(1))->shape(), (Shape{16}));
  }
}

// Codes of x and w lie within half a step of them, and 16 products are added: |error| is at most
// 16 (|x| s_w + |w| s_x) / 2 and a quarter of a product of steps, with |x|, |w| <= 1 and steps of at most 2/255 and
// 1/127 (kept small by fill_tensors and the data below).
TEST(DynamicProducts, ComputeWhatTheFloatModelComputes) {
  Tensor x(DataType::Float32, {4, 16});
  uint32_t state = 7;
  for (float& one : x.mutable_data<float>())
    one = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) / 0x1p23F - 1;
  for (const bool per_tensor : {false, true}) {
    RewriteOptions format;
    format.per_tensor_weights = per_tensor;
    const DynamicNetwork network(format);
    float largest = 0;
    for (const float w : network.floats.graph().constant(*network.floats.graph().find_value("w"))->data<float>())
      largest = std::max(largest, std::abs(w));
    const float bound = 16 * (largest / 127 + largest * 2 / 255) / 2 * 1.01F;
    const std::vector<Tensor> expected = run(network.floats, x), found = run(network.model, x);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t output = 0; output < found.size(); ++output)
      for (size_t i = 0; i < 64; ++i)
        EXPECT_NEAR(found[output].data<float>()[i], expected[output].data<float>()[i], bound) << output << ", " << i;
  }
}

TEST(DynamicProducts, ScaleWeightsUntilNoPairSaturates) {
  RewriteOptions format;
  format.saturation = RewriteOptions::Saturation::Avoided;
  const DynamicNetwork network(format);
  for (const Node* product : network.nodes("MatMulInteger")) {
    const auto codes = network.graph().constant(product->input(1))->data<int8_t>();
    for (size_t row = 0; row < 16; row += 2)
      for (size_t column = 0; column < 16; ++column) {
        const int a = codes[row * 16 + column], b = codes[(row + 1) * 16 + column];
        const int high = std::max(a, 0) + std::max(b, 0), low = std::min(a, 0) + std::min(b, 0);
        EXPECT_LE(255 * high, 32767);
        EXPECT_GE(255 * low, -32768);
      }
  }
  EXPECT_THAT(network.flaws(), IsEmpty());
}

struct DynamicDamage {
  std::string name;
  std::function<void(DynamicNetwork&)> harm;
  std::string what;
};

TEST(DynamicProducts, AreCheckedInTheWrittenFile) {
  const std::vector<DynamicDamage> damages = {
      {"another code",
       [](DynamicNetwork& n) {
         const std::string name = n.graph().value(*n.nodes("MatMulInteger")[0]->input(1)).name;
         Tensor codes = n.graph().constant(*n.graph().find_value(name))->clone();
         codes.mutable_data<int8_t>()[17] = static_cast<int8_t>(codes.mutable_data<int8_t>()[17] / 2 + 40);
         n.replace(name, std::move(codes));
       },
       "more than half a step"},
      {"one scale too few",
       [](DynamicNetwork& n) {
         const Node* scales = n.graph().producer(n.nodes("Mul")[0]->input(1));
         const Node* mul = scales && scales->op_type == "Mul" ? scales : n.nodes("Mul")[0];
         n.replace(n.graph().value(*mul->input(1)).name, Tensor::from<float>({1}, {0.01F}));
       },
       "scales for its weight"},
      {"a product that reads floats",
       [](DynamicNetwork& n) {
         GraphPatch patch;
         const Node& cast = *n.nodes("Cast")[0];
         patch.add_nodes.push_back({"Identity", "copy", {n.graph().value(*cast.output(0)).name}, {"copied"}, {}, ""});
         const Use use = n.graph().value(*cast.output(0)).uses.at(0);
         patch.rewire.push_back({n.graph().node(use.node).name, use.slot, "copied"});
         apply_patch(n.model, patch);
       },
       "has not become a MatMulInteger"}};
  for (const DynamicDamage& damage : damages) {
    DynamicNetwork network;
    damage.harm(network);
    const std::vector<Flaw> flaws = network.flaws();
    ASSERT_FALSE(flaws.empty()) << damage.name;
    EXPECT_THAT(flaws.front().what, HasSubstr(damage.what)) << damage.name;
  }
}

}  // namespace
}  // namespace detent
