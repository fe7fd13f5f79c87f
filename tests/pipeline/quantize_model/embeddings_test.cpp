// Embedding tables as INT8 codes (R22): what is written, what it computes, and how it is counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "datasets/base/npy_format.h"
#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

constexpr int kRows = 64, kColumns = 32;

/// A table of numbers between -1 and 1, gathered, and a product behind a norm.
class Embeddings : public ::testing::Test {
 protected:
  Embeddings() {
    std::string table, weight;
    uint32_t state = 7;
    for (int i = 0; i < kRows * kColumns; ++i) {
      state = state * 1664525U + 1013904223U;
      table += (i ? "," : "") + std::to_string(static_cast<double>(state >> 8) / 0x1p23 - 1);
    }
    for (int i = 0; i < kColumns * kColumns; ++i)
      weight += (i ? "," : "") + std::to_string((i * 37 % 101 - 50) / 100.0);
    write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (int64[N,8] ids) => (float[N,8,32] y)
<float[64,32] table = {)" + table +
                                 "}, float[32,32] w = {" + weight +
                                 R"(}> { rows = Gather (table, ids) t = Tanh (rows) y = MatMul (t, w) })"),
                folder_ / "model.onnx");
    std::vector<int64_t> ids;
    for (int64_t i = 0; i < 16 * 8; ++i) ids.push_back(i * 29 % kRows);
    std::ofstream(folder_ / "ids.npy", std::ios::binary)
        << format_npy_header(DataType::Int64, {16, 8})
        << std::string(reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int64_t));
  }
  QuantizeReport quantize(PlacementOptions::Embeddings embeddings, const std::string& target = "onnxruntime") {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    options.data.sources = {(folder_ / "ids.npy").string()};
    options.target = target;
    options.placement.embeddings = embeddings;
    options.output = folder_ / "out.onnx";
    options.overwrite = true;
    return quantize_model(options);
  }
  [[nodiscard]] Model written() const { return read_model(folder_ / "out.onnx"); }

  TemporaryFolder folder_;
};

TEST_F(Embeddings, AreGatheredAsCodesAndConvertedRowByRow) {
  for (const char* target : {"onnxruntime", "openvino"}) {
    const QuantizeReport report = quantize(PlacementOptions::Embeddings::Int8, target);
    const Model model = written();
    const Graph& graph = model.graph();
    const Node& dequantize = *graph.producer(*graph.find_value("rows"));
    ASSERT_EQ(dequantize.op_type, "DequantizeLinear") << target;
    EXPECT_EQ(dequantize.int_or("axis", 0), -1);
    const Node& gather = *graph.producer(*dequantize.input(0));
    ASSERT_EQ(gather.op_type, "Gather");
    EXPECT_EQ(graph.constant(gather.input(0))->type(), DataType::Int8);
    EXPECT_EQ(graph.constant(dequantize.input(1))->element_count(), kColumns);
    EXPECT_EQ(report.plan.coverage.int8_embedding_params, kRows * kColumns);
    EXPECT_EQ(report.plan.coverage.embedding_params, kRows * kColumns);
  }
}

// A uniform column of amax 1 has steps of 1/127 and an error of step^2 / 12 beside a power of 1/3: 47 dB.
TEST_F(Embeddings, CostNoMoreThanTheirCodes) {
  const double with = quantize(PlacementOptions::Embeddings::Int8).error->sqnr_db.value();
  const double without = quantize(PlacementOptions::Embeddings::Float).error->sqnr_db.value();
  EXPECT_LT(with, 47);
  EXPECT_GT(with, without - 3) << "the product's own codes have about as much noise";
}

TEST_F(Embeddings, StayFloatWhereTheyAreSmallOrTheUserSaysSo) {
  for (const auto embeddings : {PlacementOptions::Embeddings::Auto, PlacementOptions::Embeddings::Float}) {
    const QuantizeReport report = quantize(embeddings);
    const Model model = written();
    const Graph& graph = model.graph();
    EXPECT_EQ(graph.producer(*graph.find_value("rows"))->op_type, "Gather");
    EXPECT_NE(graph.find_value("table"), kNoValue);
    EXPECT_EQ(report.plan.coverage.int8_embedding_params, 0);
  }
}

TEST_F(Embeddings, AreNoFindingOfLintAndStayInRepair) {
  static_cast<void>(quantize(PlacementOptions::Embeddings::Int8));
  LintOptions lint;
  lint.model = folder_ / "out.onnx";
  lint.target = "onnxruntime";
  EXPECT_EQ(lint_model(lint).count("error"), 0U);
  RepairOptions repair;
  repair.model = folder_ / "out.onnx";
  repair.target = "onnxruntime";
  repair.output = folder_ / "repaired.onnx";
  EXPECT_FALSE(repair_model(repair).changed) << "nothing is wrong";
}

}  // namespace
}  // namespace detent
