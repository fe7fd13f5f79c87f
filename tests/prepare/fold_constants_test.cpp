#include "prepare/fold_constants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "detent/base/error.h"
#include "exec/same_outputs.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

const char* const kOpset17 = "<ir_version: 8, opset_import: [\"\" : 17]> g ";

std::vector<std::string> operators(const Graph& graph) {
  std::vector<std::string> ops;
  for (const Node& node : graph.nodes()) ops.push_back(node.op_type);
  return ops;
}

/// Returns "float[rows, columns] NAME = {1, 2, 3 ...}".
std::string matrix(const std::string& name, int rows, int columns) {
  std::string numbers;
  for (int i = 0; i < rows * columns; ++i) numbers += (i ? "," : "") + std::to_string(i % 7 - 3);
  return "float[" + std::to_string(rows) + "," + std::to_string(columns) + "] " + name + " = {" + numbers + "}";
}

/// Tied embeddings of more than 64 KiB: 160 x 128 floats.
const std::string kEmbedding = matrix("e", 160, 128);

TEST(FoldConstants, ScalesOfPairsAreComputedFromLargeWeights) {
  const std::string begin =
      kOpset17 + std::string("(float[1,160] x, float[128] v) => (float[1,128] y) <") + kEmbedding +
      ", float d = {127}> { a = Abs (e) m = ReduceMax <axes = [0], keepdims = 0> (a) s = Div (m, d) ";
  Model pair = parse_model_text(begin + "q = QuantizeLinear <axis = 1> (e, s) w = DequantizeLinear <axis = 1> (q, s) " +
                                "y = MatMul (x, w) }");
  EXPECT_EQ(fold_constants(pair), 3U);
  EXPECT_THAT(operators(pair.graph()), ElementsAre("QuantizeLinear", "DequantizeLinear", "MatMul"));
  Model other = parse_model_text(begin + "y = Add (v, s) }");  // no pair reads it: the inner result is too large
  EXPECT_EQ(fold_constants(other), 0U);
}

TEST(FoldConstants, LargeWeightsInFrontOfPairsAreComputed) {
  Model floats = parse_model_text(kOpset17 + std::string("(float[1,160] x) => (float[1,128] y) <") + kEmbedding +
                                  ", float s = {0.1}, int8 z = {0}> { i = Identity (e) q = QuantizeLinear (i, s, z) "
                                  "w = DequantizeLinear (q, s, z) y = MatMul (x, w) }");
  EXPECT_EQ(fold_constants(floats), 1U);
  EXPECT_THAT(operators(floats.graph()), ElementsAre("QuantizeLinear", "DequantizeLinear", "MatMul"));
  const std::string codes = "int8" + matrix("e", 320, 256).substr(5);  // 80 KiB
  Model integers = parse_model_text(kOpset17 + std::string("(float[1,256] x) => (float[1,320] y) <") + codes +
                                    ", float s = {0.1}, int8 z = {0}> { t = Transpose <perm = [1, 0]> (e) "
                                    "w = DequantizeLinear (t, s, z) y = MatMul (x, w) }");
  EXPECT_EQ(fold_constants(integers), 1U);
  EXPECT_THAT(operators(integers.graph()), ElementsAre("DequantizeLinear", "MatMul"));
}

TEST(FoldConstants, ATransposedEmbeddingBecomesAWeightAndGatherKeepsItsRows) {
  const Model before =
      parse_model_text(kOpset17 + std::string("(int64[1] i, float[1,128] x) => (float[1,128] r, float[1,160] y) <") +
                       kEmbedding + "> { r = Gather (e, i) t = Transpose <perm = [1, 0]> (e) y = MatMul (x, t) }");
  Model model = before.clone();
  EXPECT_EQ(fold_constants(model), 1U);
  const Graph& graph = model.graph();
  EXPECT_THAT(operators(graph), ElementsAre("Gather", "MatMul"));
  EXPECT_EQ(graph.constant(*graph.find_value("t"))->shape(), (Shape{128, 160}));
  EXPECT_NE(graph.constant(*graph.find_value("e")), nullptr);
  const std::vector<Tensor> inputs{Tensor::from<int64_t>({1}, {3}),
                                   Tensor::from<float>({1, 128}, std::vector<float>(128, 0.5F))};
  check_same_outputs(outputs_of(before, inputs), model, inputs, "folding");
}

TEST(FoldConstants, LayersWithTiedWeightsReadOneConstant) {
  Model model = parse_model_text(
      kOpset17 + std::string("(float[1,128] x, float[1,128] z) => (float[1,160] y, float[1,160] u) <") + kEmbedding +
      "> { t = Transpose <perm = [1, 0]> (e) y = MatMul (x, t) s = Transpose <perm = [1, 0]> (e) u = MatMul (z, s) }");
  EXPECT_EQ(fold_constants(model), 2U);
  const Graph& graph = model.graph();
  EXPECT_THAT(operators(graph), ElementsAre("MatMul", "MatMul"));
  EXPECT_EQ(graph.nodes()[0].input(1), graph.nodes()[1].input(1));
  EXPECT_EQ(graph.find_value("e"), kNoValue);
}

TEST(FoldConstants, WeightsBehindSeveralNodesAreFoldedInOne) {
  Model model =
      parse_model_text(kOpset17 + std::string("(float[1,2,4] x) => (float[1,3,4] y) <float[3,2] w = {1,2,3,4,5,6}, "
                                              "float s = {2}, int64[1] a = {2}> "
                                              "{ m = Mul (w, s) u = Unsqueeze (m, a) y = Conv (x, u) }"));
  EXPECT_EQ(fold_constants(model), 2U);
  const Graph& graph = model.graph();
  EXPECT_THAT(operators(graph), ElementsAre("Conv"));
  EXPECT_THAT(graph.constant(*graph.find_value("u"))->data<float>(), ElementsAre(2, 4, 6, 8, 10, 12));
  EXPECT_EQ(graph.find_value("w"), kNoValue);
}

TEST(FoldConstants, WhatTileMakesLargeStaysComputed) {
  const auto operators_of = [](int copies) {
    Model model =
        parse_model_text(kOpset17 + std::string("(float[1,64] x) => (float[1,N] y) <") + matrix("w", 64, 4) +
                         ", int64[2] n = {1," + std::to_string(copies) + "}> { t = Tile (w, n) y = MatMul (x, t) }");
    (void)fold_constants(model);
    return operators(model.graph());
  };
  EXPECT_THAT(operators_of(2), ElementsAre("MatMul"));             // 2 KiB
  EXPECT_THAT(operators_of(1000), ElementsAre("Tile", "MatMul"));  // 1 MB of 1 KiB
}

TEST(FoldConstants, AnExtentThatNoMemoryHoldsStaysComputed) {
  Model model =
      parse_model_text(kOpset17 + std::string("(float[1,2] x) => (float[1,N] y) <int64[2] n = {2, 4000000000000}> "
                                              "{ t = ConstantOfShape (n) y = MatMul (x, t) }"));
  EXPECT_EQ(fold_constants(model), 0U);
}

TEST(FoldConstants, ALargeTableThatNoLayerMultipliesByStaysComputed) {
  Model model = parse_model_text(kOpset17 + std::string("(float[160,128] x) => (float[160,128] y) <") + kEmbedding +
                                 "> { n = Neg (e) y = Add (x, n) }");
  EXPECT_EQ(fold_constants(model), 0U);
}

TEST(FoldConstants, RandomNumbersOutputsAndActivationsStay) {
  Model model = parse_model_text(
      kOpset17 + std::string("(float[2] x) => (float[2] y, float[2] u, float[2] r) <float[2] c = {1, 2}> "
                             "{ r = RandomNormalLike (c) u = Neg (c) y = Neg (x) }"));
  EXPECT_EQ(fold_constants(model), 0U);
  EXPECT_EQ(model.graph().nodes().size(), 3U);
}

TEST(FoldConstants, EveryOutputOfASplitIsAWeight) {
  Model model = parse_model_text(
      kOpset17 + std::string("(float[1,2] x) => (float[1,2] y, float[1,2] u) <float[2,4] w = {1,2,3,4,5,6,7,8}> "
                             "{ a, b = Split <axis = 1> (w) y = MatMul (x, a) u = MatMul (x, b) }"));
  EXPECT_EQ(fold_constants(model), 1U);
  EXPECT_THAT(model.graph().constant(*model.graph().find_value("b"))->data<float>(), ElementsAre(3, 4, 7, 8));
}

/// Returns the same model, read from a file with external weights.
Model with_data_beside(const Model& model, const std::filesystem::path& path) {
  write_model(model, path, {.overwrite = false, .external_data_above = 1000});
  return read_model(path);
}

std::string tied_and_scaled() {
  return kOpset17 + std::string("(int64[1] i, float[1,128] x) => (float[1,128] r, float[1,160] y) <") + kEmbedding +
         ", " + matrix("w", 128, 128) +
         ", float s = {2}> { r = Gather (e, i) m = Mul (w, s) a = MatMul (x, m) t = Transpose <perm = [1, 0]> (e) "
         "y = MatMul (a, t) }";
}

TEST(FoldConstants, FoldWeightsThatLieBesideTheModel) {
  const TemporaryFolder folder;
  Model inside = parse_model_text(tied_and_scaled());
  const Model before = inside.clone();
  Model beside = with_data_beside(before, folder / "m.onnx");
  EXPECT_EQ(fold_constants(inside), 2U);
  EXPECT_EQ(fold_constants(beside), 2U);
  EXPECT_THAT(operators(beside.graph()), ElementsAre("Gather", "MatMul", "MatMul"));
  for (const char* name : {"m", "t"}) {
    const auto numbers = [&](const Graph& graph) {
      const auto all = graph.constant(*graph.find_value(name))->data<float>();
      return std::vector<float>(all.begin(), all.end());
    };
    EXPECT_EQ(numbers(beside.graph()), numbers(inside.graph())) << name;
  }
  EXPECT_EQ(beside.graph().find_value("w"), kNoValue);
  EXPECT_NE(beside.graph().constant(*beside.graph().find_value("e")), nullptr) << "Gather still takes rows of it";
  const std::vector<Tensor> inputs{Tensor::from<int64_t>({1}, {3}),
                                   Tensor::from<float>({1, 128}, std::vector<float>(128, 0.5F))};
  check_same_outputs(outputs_of(before, inputs), beside, inputs, "folding");

  write_model(beside, folder / "folded.onnx", {.overwrite = false, .external_data_above = 1000});
  check_same_outputs(outputs_of(before, inputs), read_model(folder / "folded.onnx"), inputs, "writing what was folded");
}

TEST(FoldConstants, WeightsBesideTheModelThatAreCutAreToldAsSuch) {
  const TemporaryFolder folder;
  write_model(parse_model_text(tied_and_scaled()), folder / "m.onnx",
              {.overwrite = false, .external_data_above = 1000});
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().extension() == ".data") std::filesystem::resize_file(entry.path(), 4096);
  const Error error = error_of<Error>([&] {
    Model model = read_model(folder / "m.onnx");
    (void)fold_constants(model);
  });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
}

}  // namespace
}  // namespace detent
