#include "tune/refine/layer_matrix.h"

#include <gtest/gtest.h>

#include "evaluate/float_network.h"
#include "exec/executor.h"
#include "model/model.h"

namespace detent {
namespace {

struct Case {
  std::string name, op;  ///< reads x and w, writes y
  Shape x, w;
  int slot = 1;  ///< of w
};

Model model_of(const Case& layer) {
  std::string extents;
  for (const int64_t extent : layer.x.dims()) extents += (extents.empty() ? "" : ", ") + std::to_string(extent);
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 13]>\ng (float[" + extents +
                                 "] x) => (float y)\n<float[1] w = {0}>\n{ y = " + layer.op + " }");
  GraphPatch patch{.reason = "weight of the test"};
  patch.replace_constants.emplace_back("w", test::Numbers(3).tensor(layer.w));
  apply_patch(model, patch);
  return model;
}

class LayerMatrixOf : public testing::TestWithParam<Case> {};

// The layer is its matrix times its vectors.
TEST_P(LayerMatrixOf, TimesItsVectorsIsTheLayer) {
  const Case& layer = GetParam();
  const Model model = model_of(layer);
  const Graph& graph = model.graph();
  const WeightDecision weight{graph.nodes()[0].id, layer.slot, *graph.find_value("w")};
  const Tensor x = test::Numbers(4).tensor(layer.x);
  const auto matrix = layer_matrix(graph, weight);
  ASSERT_TRUE(matrix);
  const auto vectors = input_vectors(graph, weight, *matrix, x, 1 << 20);
  const auto w = graph.constant(weight.value)->data<float>();
  const Tensor y = run_once(graph, std::vector<Tensor>{x}, graph.outputs()).front();
  const auto positions = static_cast<int64_t>(vectors.size()) / matrix->columns / matrix->groups;
  ASSERT_EQ(positions * matrix->groups * matrix->rows, y.element_count());
  // Outputs of one position are adjacent behind a product, a plane apart behind a convolution or a weight on the left.
  const bool planes = y.shape().rank() > 3 || layer.slot == 0;
  const int64_t plane = planes ? y.shape().element_count(2, y.shape().rank()) : 1;
  for (int64_t g = 0; g < matrix->groups; ++g)
    for (int64_t p = 0; p < positions; ++p)
      for (int64_t r = 0; r < matrix->rows; ++r) {
        double sum = 0;
        for (int64_t c = 0; c < matrix->columns; ++c)
          sum += static_cast<double>(w[static_cast<size_t>(matrix->offset(g, r, c))]) *
                 static_cast<double>(vectors[static_cast<size_t>((g * positions + p) * matrix->columns + c)]);
        const int64_t channels = matrix->groups * matrix->rows, channel = g * matrix->rows + r;
        const int64_t at = (p / plane * channels + channel) * plane + p % plane;
        ASSERT_NEAR(sum, y.data<float>()[static_cast<size_t>(at)], 1e-5)
            << "group " << g << " position " << p << " row " << r;
      }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, LayerMatrixOf,
    testing::Values(
        Case{"conv",
             "Conv <pads = [1, 0, 2, 1], strides = [2, 1], dilations = [1, 2]> (x, w)",
             {2, 3, 7, 6},
             {4, 3, 3, 2}},
        Case{"grouped", "Conv <group = 2> (x, w)", {1, 4, 5, 5}, {6, 2, 3, 3}},
        Case{"depthwise", "Conv <group = 4, auto_pad = \"SAME_UPPER\"> (x, w)", {2, 4, 5, 5}, {4, 1, 3, 3}},
        Case{"transposed",
             "ConvTranspose <strides = [2, 2], pads = [1, 0, 0, 1], output_padding = [1, 0]> (x, w)",
             {2, 3, 4, 3},
             {3, 2, 3, 2}},
        Case{"transposed_groups", "ConvTranspose <group = 2, strides = [3, 1]> (x, w)", {1, 4, 3, 3}, {4, 3, 2, 2}},
        Case{"gemm", "Gemm (x, w)", {3, 5}, {5, 4}}, Case{"gemm_b", "Gemm <transB = 1> (x, w)", {3, 5}, {4, 5}},
        Case{"gemm_a", "Gemm <transA = 1> (x, w)", {5, 3}, {5, 4}}, Case{"matmul", "MatMul (x, w)", {2, 3, 5}, {5, 4}},
        Case{"matmul_left", "MatMul (w, x)", {2, 5, 3}, {4, 5}, 0}),
    [](const auto& layer) { return layer.param.name; });

TEST(LayerMatrix, IsNotGivenForAWeightThatIsNoMatrix) {
  const Model model = model_of({"", "MatMul (x, w)", {2, 3, 5}, {2, 5, 4}});
  EXPECT_FALSE(layer_matrix(model.graph(), {NodeId{0}, 1, *model.graph().find_value("w")}));
}

TEST(InputVectors, AreTakenAtAsManyPositionsAsAsked) {
  const Model model = model_of({"", "Conv (x, w)", {1, 2, 20, 20}, {3, 2, 1, 1}});
  const WeightDecision weight{NodeId{0}, 1, *model.graph().find_value("w")};
  const LayerMatrix matrix = *layer_matrix(model.graph(), weight);
  const Tensor x = test::Numbers(4).tensor({1, 2, 20, 20});
  EXPECT_EQ(input_vectors(model.graph(), weight, matrix, x, 10).size(), 20U);    // of two columns
  EXPECT_EQ(input_vectors(model.graph(), weight, matrix, x, 999).size(), 800U);  // there are 400
}

}  // namespace
}  // namespace detent
