// cast of files with pairs: what stays to the bit, in the files of different writers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>

#include "detent/base/error.h"
#include "lint/reading/qdq_node.h"
#include "pipeline/small_network.h"

namespace detent {
namespace {

using ::testing::HasSubstr;
using ::testing::Lt;

/// Returns type and bytes of the codes and zero points that are constants, by the pair's node and slot.
std::map<std::string, std::string> integers_of(const Model& model) {
  const Graph& graph = model.graph();
  std::map<std::string, std::string> integers;
  for (const Node& node : graph.nodes()) {
    if (!is_qdq(graph, node)) continue;
    for (const int slot : {0, 2})
      if (const Tensor* constant = graph.constant(node.input(slot)); constant && constant->type() != DataType::Float32)
        integers[node.name + ":" + std::to_string(slot)] =
            std::string(name_of(constant->type())) +
            std::string(static_cast<const char*>(constant->raw()), constant->byte_count());
  }
  return integers;
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class CastModel : public SmallNetwork {
 protected:
  CastModel() { data_ = samples("calib", {1, 2, 0.5}); }

  /// Writes in.onnx as another writer would.
  void quantize(const std::string& target, bool float_weights = false) const {
    QuantizeOptions made = options(data_, "in.onnx");
    made.target = target;
    if (float_weights) made.format.int8_weights = false;
    static_cast<void>(quantize_model(made));
  }
  [[nodiscard]] CastModelOptions cast_options(bool with_data = true, const std::string& output = "cast.onnx") const {
    CastModelOptions options;
    options.model = folder_ / "in.onnx";
    options.output = folder_ / output;
    if (with_data) options.data.sources = {data_};
    return options;
  }
  [[nodiscard]] Model file(const std::string& name) const { return read_model(folder_ / name); }
  void expect_same_integers() const {
    const auto before = integers_of(file("in.onnx")), after = integers_of(file("cast.onnx"));
    EXPECT_FALSE(before.empty());
    EXPECT_EQ(before, after);
  }

  std::string data_;
};

TEST_F(CastModel, TensorRtPairsKeepCodesAndGetHalfScales) {
  quantize("tensorrt");
  const CastReport report = cast_model(cast_options());
  expect_same_integers();
  ASSERT_TRUE(report.pairs && report.error);
  EXPECT_EQ(report.pairs->scale_type, "float16");
  EXPECT_EQ(report.pairs->quantizers, 4U);
  EXPECT_EQ(report.pairs->dequantizers, 8U);
  EXPECT_EQ(report.pairs->code_constants, 4U);
  EXPECT_GT(*report.error->outputs.front().sqnr_db, 35);
  EXPECT_EQ(report.coverage.types.int8.macs, report.coverage.macs);
  EXPECT_EQ(report.coverage.types.float32.activation_bytes, 0);
}

TEST_F(CastModel, OnnxRuntimePairsKeepCodesAndScalesAndTheirLayers) {
  quantize("onnxruntime");
  const CastReport report = cast_model(cast_options());
  expect_same_integers();
  EXPECT_EQ(report.pairs->scale_type, "float32");
  EXPECT_EQ(report.pairs->rounded_scales, 0U);
  EXPECT_EQ(report.coverage.types.int8.macs * 4, report.coverage.macs * 3) << "the last Conv writes a float output";
}

TEST_F(CastModel, ScalesBecomeHalvesWhereKernelsTakeThem) {
  for (const auto& [target, type] : {std::pair{"tensorrt", "float16"}, std::pair{"onnxruntime", "float32"}}) {
    quantize(target);
    EXPECT_EQ(cast_model(cast_options(true, std::string(target) + ".cast.onnx")).pairs->scale_type, type) << target;
  }
}

TEST_F(CastModel, ScalesOfInt8CodesBecomeHalvesWhereTheirZeroPointIs0) {
  // PyTorch's PT2E gives activations INT8 codes from -128 up, which ONNX Runtime takes and TensorRT does not.
  for (const auto& [point, type] : {std::pair{"0", "float16"}, std::pair{"-128", "float32"}}) {
    write_model(parse_model_text(R"(<ir_version: 10, opset_import: ["" : 18]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float s = {0.02}, int8 z = {)" + std::string(point) +
                                 R"(}, int8[2,2,1,1] w = {1, 2, 3, 4}, float ws = {0.01}>
{
  q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)
  wd = DequantizeLinear (w, ws)
  y = Conv (d, wd)
})"),
                folder_ / "in.onnx");
    EXPECT_EQ(cast_model(cast_options(false, std::string(type) + ".onnx")).pairs->scale_type, type);
    std::filesystem::remove(folder_ / "in.onnx");
  }
}

TEST_F(CastModel, FloatWeightsBehindAQuantizeLinearBecomeTheCodesThatItMade) {
  quantize("tensorrt");
  const auto codes = integers_of(file("in.onnx"));
  quantize("tensorrt:8.6", true);
  const CastReport report = cast_model(cast_options());
  EXPECT_EQ(report.pairs->stored_codes, 4U);
  const auto cast = integers_of(file("cast.onnx"));
  size_t compared = 0;
  for (const auto& [name, bytes] : codes)
    if (cast.contains(name) && name.ends_with(":0")) {
      EXPECT_EQ(bytes, cast.at(name)) << name;
      ++compared;
    }
  EXPECT_EQ(compared, 4U);
  EXPECT_THAT(report.bytes_after, Lt(report.bytes_before));
}

// PyTorch without constant folding: the zero point is a Cast of an INT32.
TEST_F(CastModel, ComputedZeroPointsAreReadAsAnEngineFoldsThem) {
  const auto half_nodes = [&](const std::string& zero_point) {
    write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[1,2,4,4] x) => (float[1,2,4,4] y)
<float s = {0.1}, int8 z = {0}, int32 i = {0}, int8[2,2,1,1] w = {1, 2, 3, 4}>
{ c = Cast <to = 3> (i)
  q = QuantizeLinear (x, s, )" + zero_point +
                                 ") d = DequantizeLinear (q, s, " + zero_point +
                                 ") v = DequantizeLinear (w, s, z) a = Conv (d, v) y = Relu (a) }"),
                folder_ / "in.onnx", {.overwrite = true});
    CastModelOptions options = cast_options(false);
    options.overwrite = true;
    return cast_model(options).floats.half_nodes;
  };
  const size_t constant = half_nodes("z");
  EXPECT_GT(constant, 0U);
  EXPECT_EQ(half_nodes("c"), constant);
}

TEST_F(CastModel, WithoutDataPairsBoundTheValues) {
  quantize("tensorrt");
  const CastReport report = cast_model(cast_options(false));
  expect_same_integers();
  EXPECT_EQ(report.samples, 0U);
  EXPECT_FALSE(report.error);
  EXPECT_TRUE(report.floats.values_bounded);
  EXPECT_FALSE(report.floats.values_measured);
  EXPECT_GT(report.floats.half_nodes, 10U);
}

TEST_F(CastModel, CastingAgainWritesTheSameFile) {
  quantize("tensorrt");
  static_cast<void>(cast_model(cast_options()));
  CastModelOptions again = cast_options(true, "again.onnx");
  again.model = folder_ / "cast.onnx";
  EXPECT_EQ(cast_model(again).floats.half_nodes, 0U);
  EXPECT_EQ(bytes_of(folder_ / "again.onnx"), bytes_of(folder_ / "cast.onnx"));
}

TEST_F(CastModel, AFloatModelNeedsData) {
  CastModelOptions options = cast_options(false);
  options.model = folder_ / "model.onnx";
  try {
    static_cast<void>(cast_model(options));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Usage);
    EXPECT_THAT(error.what(), HasSubstr("needs --data"));
  }
}

TEST_F(CastModel, OperatorsThatComputeWithCodesAreRefusedByName) {
  write_model(parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]> g (uint8[1,2] x) => (int32[1,2] y)
<uint8[2,2] w = {1, 2, 3, 4}> { y = MatMulInteger (x, w) })"),
              folder_ / "in.onnx");
  try {
    static_cast<void>(cast_model(cast_options()));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
    EXPECT_THAT(error.what(), HasSubstr("MatMulInteger"));
    EXPECT_THAT(error.what(), HasSubstr("holds integer operators ("));
  }
}

}  // namespace
}  // namespace detent
