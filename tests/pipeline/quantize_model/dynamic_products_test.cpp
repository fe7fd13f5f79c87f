// --activation dynamic: what is written with and without data, what is chosen, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "datasets/base/npy_format.h"
#include "detent/detent.h"
#include "model/model.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DynamicQuantization : public ::testing::Test {
 protected:
  DynamicQuantization() { write("N,16"); }
  /// Writes two products of values of this shape.
  void write(const std::string& shape) const {
    std::string w, v;
    for (int i = 0; i < 256; ++i) {
      w += (i ? "," : "") + std::to_string((i * 37 % 101 - 50) / 100.0);
      v += (i ? "," : "") + std::to_string((i * 53 % 89 - 44) / 100.0);
    }
    const std::string type = "float[" + shape + "]";
    write_model(parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (" + type + " x) => (" + type +
                                 " y) <float[16,16] w = {" + w + "}, float[16,16] v = {" + v +
                                 "}> { a = MatMul (x, w) t = Tanh (a) y = MatMul (t, v) }"),
                folder_ / "model.onnx", {.overwrite = true});
  }
  /// Writes samples of uniform numbers in [-reach, reach], the first two of each 1 and -1.
  [[nodiscard]] std::string samples(const Shape& shape, float reach) const {
    const int64_t each = shape.element_count() / shape[0];
    std::vector<float> numbers;
    uint32_t state = 3;
    for (int64_t i = 0; i < shape[0] * each; ++i) {
      state = state * 1664525u + 1013904223u;
      const float number = reach * (static_cast<float>(state >> 8) / 0x1p23F - 1);
      numbers.push_back(i % each == 0 ? 1 : i % each == 1 ? -1 : number);
    }
    const std::filesystem::path file = folder_ / "x.npy";
    std::ofstream(file, std::ios::binary)
        << format_npy_header(DataType::Float32, shape)
        << std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float));
    return file.string();
  }
  [[nodiscard]] std::string samples() const { return samples({32, 16}, 1); }
  [[nodiscard]] QuantizeOptions options(const std::string& data = "") const {
    QuantizeOptions options;
    options.model = folder_ / "model.onnx";
    if (!data.empty()) options.data.sources = {data};
    options.target = "onnxruntime";
    options.format.dynamic = true;
    options.output = folder_ / "out.onnx";
    options.overwrite = true;
    return options;
  }
  static std::vector<bool> dynamic_layers(const QuantizeReport& report) {
    std::vector<bool> found;
    for (const PlanReport::Layer& layer : report.plan.layers) found.push_back(layer.runs == Runs::Dynamic);
    return found;
  }
  static size_t count(const Model& model, std::string_view op) {
    return static_cast<size_t>(std::ranges::count(model.graph().nodes(), op, &Node::op_type));
  }
  static std::string error_of(const QuantizeOptions& options) {
    try {
      static_cast<void>(quantize_model(options));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption) << error.what();
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
};

TEST_F(DynamicQuantization, NeedsNoData) {
  const QuantizeReport report = quantize_model(options());
  EXPECT_THAT(dynamic_layers(report), Each(true));
  EXPECT_FALSE(report.error);
  const Model file = read_model(folder_ / "out.onnx");
  EXPECT_EQ(count(file, "DynamicQuantizeLinear"), 2U);
  EXPECT_EQ(count(file, "MatMulInteger"), 2U);
  EXPECT_EQ(count(file, "QuantizeLinear"), 0U);
  EXPECT_THAT(report.provenance.options, HasSubstr("activation=dynamic"));
}

TEST_F(DynamicQuantization, IsJudgedOnTheWrittenFile) {
  const QuantizeReport report = quantize_model(options(samples()));
  ASSERT_TRUE(report.error);
  EXPECT_GT(report.error->sqnr_db.value(), 35);  // 8 bits of normal numbers keep 40 dB or more
  EXPECT_EQ(report.verdict.quality, Quality::Good);
}

TEST_F(DynamicQuantization, KeepsScalesOfRunTimeWhereNoScaleInAdvanceIsBetter) {
  const QuantizeReport report = quantize_model(options(samples()));
  EXPECT_THAT(dynamic_layers(report), Each(true));
}

// Two numbers in 131072 widen every range at run time to twice what the others need: 6 dB, of which clipping them costs
// most.
TEST_F(DynamicQuantization, GivesAScaleInAdvanceToWhatItKeepsMoreOf) {
  write("N,8192,16");
  const QuantizeReport report = quantize_model(options(samples({8, 8192, 16}, 0.5F)));
  EXPECT_THAT(dynamic_layers(report), ElementsAre(false, true));
  EXPECT_THAT(report.plan.layers[0].reason, HasSubstr("with this scale in advance"));
  QuantizeOptions fast = options(samples({8, 8192, 16}, 0.5F));
  fast.accuracy = Accuracy::Fast;
  EXPECT_THAT(dynamic_layers(quantize_model(fast)), Each(true)) << "nothing is compared";
}

TEST_F(DynamicQuantization, GivesAPairToWhatTheUserIncludes) {
  QuantizeOptions given = options(samples());
  given.placement.include = {"^MatMul_0$"};
  const QuantizeReport report = quantize_model(given);
  EXPECT_THAT(dynamic_layers(report), ElementsAre(false, true));
  EXPECT_EQ(report.values.size(), 1U);
  const Model file = read_model(folder_ / "out.onnx");
  EXPECT_EQ(count(file, "QuantizeLinear"), 1U);
  EXPECT_EQ(count(file, "MatMulInteger"), 1U);
  given.data.sources.clear();
  try {
    static_cast<void>(quantize_model(given));
    FAIL() << "a scale in advance needs data";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::Usage);
    EXPECT_THAT(error.what(), HasSubstr("needs --data or --table"));
  }
}

TEST_F(DynamicQuantization, GivesPairsToAConvWhereThereAreData) {
  std::string w, k;
  for (int i = 0; i < 2304; ++i) k += (i ? "," : "") + std::to_string((i * 37 % 101 - 50) / 500.0);
  for (int i = 0; i < 256; ++i) w += (i ? "," : "") + std::to_string((i * 53 % 89 - 44) / 100.0);
  write_model(parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N,16,4,4] x) => (float[N,16] y) "
                               "<float[16,16,3,3] k = {" +
                               k + "}, float[16,16] w = {" + w +
                               "}> { c = Conv <pads = [1,1,1,1]> (x, k) m = GlobalAveragePool (c) f = Flatten (m) "
                               "t = Tanh (f) y = MatMul (t, w) }"),
              folder_ / "model.onnx", {.overwrite = true});
  const QuantizeReport report = quantize_model(options(samples({8, 16, 4, 4}, 1)));
  EXPECT_THAT(dynamic_layers(report), ElementsAre(false, true));
  EXPECT_EQ(report.plan.coverage.int8_layers, 2);
  EXPECT_EQ(count(read_model(folder_ / "out.onnx"), "DynamicQuantizeLinear"), 1U);
  const QuantizeReport without = quantize_model(options());
  EXPECT_EQ(without.plan.coverage.int8_layers, 1);
  EXPECT_THAT(without.plan.layers[0].reason, HasSubstr("ConvInteger"));
}

TEST_F(DynamicQuantization, KeepsLayersFloatUntilABoundIsMet) {
  QuantizeOptions given = options(samples());
  given.bound.min_sqnr_db = 300;
  const QuantizeReport report = quantize_model(given);
  ASSERT_TRUE(report.bound);
  EXPECT_FALSE(report.bound->met) << "no file with codes is exact";
  given.bound.min_sqnr_db = 30;
  EXPECT_TRUE(quantize_model(given).bound->met);
}

TEST_F(DynamicQuantization, IsRefusedWhereThereAreNoKernels) {
  for (const char* target : {"tensorrt", "tensorrt:dla", "openvino", "qnn"}) {
    QuantizeOptions given = options();
    given.target = target;
    EXPECT_THAT(error_of(given), HasSubstr("finds no scales at run time")) << target;
  }
}

TEST_F(DynamicQuantization, RefusesOptionsOfPairs) {
  const auto refused = [&](auto change) {
    QuantizeOptions given = options();
    change(given);
    return error_of(given);
  };
  using O = QuantizeOptions;
  const auto does_not_go = HasSubstr("does not go with --activation dynamic");
  EXPECT_THAT(refused([](O& o) { o.format.float_type = FloatType::Fp16; }), does_not_go);
  EXPECT_THAT(refused([](O& o) { o.format.int8_weights = false; }), does_not_go);
  EXPECT_THAT(refused([](O& o) { o.format.int32_bias = true; }), does_not_go);
  EXPECT_THAT(refused([](O& o) { o.placement.quantize_outputs = true; }), does_not_go);
  EXPECT_THAT(refused([](O& o) { o.placement.attention = PlacementOptions::Attention::Int8; }), does_not_go);
  EXPECT_EQ(refused([](O& o) { o.format.int32_bias = false; }), "");
}

}  // namespace
}  // namespace detent
