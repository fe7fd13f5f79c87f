#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "model/graph_patch.h"
#include "pipeline/trained_block.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A MatMul between pairs, with a square weight whose scales stand along an axis. The rows differ in size.
/// point  zero point of the weight; first  its first code
std::string square_product(int axis, int point = 0, int first = -127) {
  const auto listed = [](int count, const auto& number) {
    std::string text;
    for (int i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(number(i));
    return "{" + text + "}";
  };
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, int8 z = {0}, int64[3] flat = {1, 64, 16}, int64[4] whole = {1, 16, 8, 8},
 int8[16,16] w = )" +
         listed(256, [=](int i) { return i == 0 ? first : i * 71 % 255 - 127 + point; }) +
         ", float[16] ws = " + listed(16, [](int i) { return 0.001F * static_cast<float>(1 << i % 8); }) +
         ", int8[16] wz = " + listed(16, [=](int) { return point; }) + R"(>
{
  xr = Reshape (x, flat)
  xq = QuantizeLinear (xr, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = )" +
         std::to_string(axis) + R"(> (w, ws, wz)
  m = MatMul (xd, wd)
  y = Reshape (m, whole)
})";
}

/// Returns the network with the first number of a constant of floats changed.
Model with_first(const std::string& text, const std::string& constant, float number) {
  Model model = parse_model_text(text);
  Tensor changed = cast(*model.graph().constant(*model.graph().find_value(constant)), DataType::Float64);
  changed.mutable_data<double>()[0] = static_cast<double>(number);
  GraphPatch patch;
  patch.reason = "change a number";
  patch.replace_constants.emplace_back(constant, cast(changed, DataType::Float32));
  apply_patch(model, patch);
  return model;
}

TEST_F(RepairModel, GivesNewScalesToWeightsThatHaveThemAlongAnotherAxis) {
  for (const char* target : {"tensorrt", "tensorrt:8.6", "tensorrt:11", "onnxruntime", "openvino"}) {
    RepairOptions given = options(square_product(0), target);
    given.data = samples();
    const RepairReport report = repair_model(given);
    EXPECT_THAT(report.weights_anew, Contains(HasSubstr("its scales stand along another axis"))) << target;
    EXPECT_GT(report.before.count("error"), 0U) << target;
    EXPECT_EQ(report.lint.count("error"), 0U) << target;
    // A row of a 127th of the largest loses its codes: the largest rows, of which most of the output comes, keep 7
    // bits.
    EXPECT_GT(report.error->sqnr_db.value(), 35) << target;
    EXPECT_FALSE(repair_model(again(given)).changed) << target;
  }
}

TEST_F(RepairModel, KeepsTheScalesOfWeightsAlongTheChannels) {
  for (const char* target : {"tensorrt", "onnxruntime"})
    EXPECT_EQ(repair_model(options(square_product(1), target)).weights_kept, 1U) << target;
}

TEST_F(RepairModel, KeepsCodesOneBelowTheMiddleWhereNoneIsFarther) {
  for (const char* target : {"rknn", "tensorrt", "onnxruntime"}) {
    RepairOptions kept = options(square_product(1, -1, -128), target);
    kept.data = samples();
    EXPECT_EQ(repair_model(kept).weights_kept, 1U) << target;
    RepairOptions anew = options(square_product(1, -1, 127), target);
    anew.data = samples();
    const RepairReport farther = repair_model(anew);
    EXPECT_THAT(farther.weights_anew, Contains(HasSubstr("its code 127 is none of the target's"))) << target;
  }
}

TEST_F(RepairModel, MeasuresWhatHasAScaleThatIsNone) {
  const float infinite = std::numeric_limits<float>::infinity();
  for (const float scale : {0.0F, -0.05F, std::nanf(""), infinite}) {
    RepairOptions given = options(with_first(trained(), "sa", scale));
    try {
      static_cast<void>(repair_model(given));
      ADD_FAILURE() << "no error for " << scale;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidOption) << scale;
      EXPECT_THAT(error.what(), HasSubstr("no scale in the file: 'r'")) << scale;
    }
    given.data = samples();
    const RepairReport report = repair_model(given);
    EXPECT_THAT(of_action(report, "added"), Contains("r")) << scale;
    EXPECT_THAT(of_action(report, "kept"), Contains("x")) << scale;
    EXPECT_THAT(report.lint.findings, IsEmpty()) << scale;
  }
}

TEST_F(RepairModel, GivesNewScalesToChannelsOfWeightsWithoutOneAndKeepsTheOthers) {
  for (const char* target : {"tensorrt", "tensorrt:8.6", "onnxruntime", "openvino"}) {
    RepairOptions given = options(with_first(square_product(1), "ws", 0), target);
    given.data = samples();
    const RepairReport report = repair_model(given);
    EXPECT_THAT(report.weights_anew, Contains(HasSubstr("scale 0 in channel 0"))) << target;
    EXPECT_EQ(report.lint.count("error"), 0U) << target;
    EXPECT_GT(report.error->sqnr_db.value_or(300), 100) << target << ": the channel is 0, all others keep their codes";
  }
}

TEST_F(RepairModel, NamesTheCodesWhoseScaleIsNoNumber) {
  try {
    static_cast<void>(repair_model(options(with_first(square_product(1), "ws", std::nanf("")))));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
    EXPECT_THAT(error.what(), HasSubstr("its scale 'ws' of channel 0 is nan"));
  }
}

/// v has a pair, a has none; a pair stands behind the Concat of both.
std::string joined(const std::string& small, const std::string& large) {
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,16,8,8] y)
<float sx = {0.03}, float sv = {)" +
         small + "}, float sc = {" + large +
         R"(}, int8 z = {0}, int64[1] from = {0}, int64[1] to = {16}, int64[1] c = {1},
 )" + trained_weight(1) +
         R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c0 = Conv (xd, wd)  v = Relu (c0)
  vq = QuantizeLinear (v, sv, z)  vd = DequantizeLinear (vq, sv, z)
  c1 = Conv (vd, wd)  a = Relu (c1)
  j = Concat <axis = 2> (v, a)
  jq = QuantizeLinear (j, sc, z)  jd = DequantizeLinear (jq, sc, z)
  o = Conv (jd, wd)
  s = Slice (o, from, to, c)
  y = AveragePool <kernel_shape = [2, 1], strides = [2, 1]> (s)
})";
}

TEST_F(RepairModel, KeepsTheScalesOfSmallValuesApartAtAConcat) {
  EXPECT_FALSE(repair_model(options(joined("0.05", "0.45"))).changed) << "a ninth";
  const RepairReport report = repair_model(options(joined("0.05", "0.35")));
  EXPECT_THAT(of_action(report, "moved"), Contains("v")) << "a seventh";
}

TEST_F(RepairModel, GivesTheTrainedScaleBehindAConcatToEachOfItsInputs) {
  RepairOptions given = options(joined("0.05", "0.45"), "openvino:gpu");
  given.data = samples();
  const RepairReport report = repair_model(given);
  const auto of = [&](const std::string& value) {
    return *std::ranges::find(report.pairs, value, &RepairReport::Pair::value);
  };
  EXPECT_EQ(of("a").moved_from, "j");
  EXPECT_EQ(of("v").action, "kept") << "its own";
  EXPECT_THAT(of_action(report, "removed"), IsEmpty());
  given.target = "openvino";
  const RepairReport shared = repair_model(given);
  const auto v = std::ranges::find(shared.pairs, "v", &RepairReport::Pair::value);
  EXPECT_THAT(v->reason, HasSubstr("it takes the wider scale of a value that it shares one with"));
}

/// A Concat of v, which has a pair of the type, and of the negative and positive numbers of a Conv, which has none.
std::string beside_negative(const std::string& type) {
  std::string codes;
  for (int i = 0; i < 128; ++i) codes += (i ? ", " : "") + std::to_string(i * 37 % 255 - 127);
  return R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[1,16,8,8] x) => (float[1,4] y)
<float sx = {0.03}, float sv = {0.05}, int8 z = {0}, )" +
         type + " zv = {0}, int8[4,32] k = {" + codes + "}, " + trained_weight(1) + R"(>
{
  xq = QuantizeLinear (x, sx, z)  xd = DequantizeLinear (xq, sx, z)
  wd = DequantizeLinear <axis = 0> (w, ws, wz)
  c0 = Conv (xd, wd)  v = Relu (c0)
  vq = QuantizeLinear (v, sv, zv)  vd = DequantizeLinear (vq, sv, zv)
  a = Conv (vd, wd)
  j = Concat <axis = 1> (v, a)
  p = GlobalAveragePool (j)  f = Flatten (p)
  fq = QuantizeLinear (f, sv, z)  fd = DequantizeLinear (fq, sv, z)
  kd = DequantizeLinear (k, sx, z)
  y = Gemm <transB = 1> (fd, kd)
})";
}

TEST_F(RepairModel, ASharedScaleHoldsNegativeNumbersOfAValueWithoutAPair) {
  for (const char* type : {"int8", "uint8"}) {
    RepairOptions given = options(beside_negative(type), "openvino");
    given.data = samples();
    const RepairReport report = repair_model(given);
    const Model repaired = read_model(folder_ / "out.onnx");
    for (const Node& node : repaired.graph().nodes()) {
      if (node.op_type != "QuantizeLinear" || repaired.graph().value(*node.input(0)).name != "a") continue;
      const Tensor& zero_point = *repaired.graph().constant(node.input(2));
      EXPECT_TRUE(zero_point.type() == DataType::Int8 || zero_point.data<uint8_t>()[0] > 0)
          << type << ": codes below 0";
    }
    EXPECT_FALSE(repair_model(again(given)).changed) << type;
    std::filesystem::remove(folder_ / "again.onnx");
  }
}

TEST_F(RepairModel, NamesAValueWhoseNegativeNumbersASharedScaleWouldCut) {
  try {
    static_cast<void>(repair_model(options(beside_negative("uint8"), "openvino")));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidOption);
    EXPECT_THAT(error.what(), HasSubstr("'a'"));
  }
}

}  // namespace
}  // namespace detent
