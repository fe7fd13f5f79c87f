// Weights and scales as each engine wants them, read in the written files.
#include <gtest/gtest.h>

#include <algorithm>

#include "model/half_constants.h"
#include "pipeline/small_network.h"
#include "place/engines/target.h"

namespace detent {
namespace {

/// Two products of one float type. The rows of `v` have -1 and odd multiples of 1/128.
std::string two_products(bool half) {
  std::string w, v;
  for (int i = 0; i < 64; ++i) {
    w += (i ? "," : "") + std::to_string(0.125 * (i % 9 - 4));
    v += (i ? "," : "") + std::to_string(i % 8 == 0 ? -1 : ((i * 29) % 63 * 2 + 1) / 128.0);
  }
  const std::string type = half ? "float16" : "float";
  return R"(<ir_version: 8, opset_import: ["" : 17]> g ()" + type + "[4,8] x) => (" + type + "[4,8] y) <float[8,8] " +
         (half ? "wf" : "w") + " = {" + w + "}, float[8,8] " + (half ? "vf" : "v") + " = {" + v + "}> {" +
         (half ? "w = Cast <to = 10> (wf) v = Cast <to = 10> (vf) " : "") +
         "a = MatMul (x, w) r = Relu (a) b = Gemm <transB = 1> (r, v) y = Relu (b) }";
}

class WrittenFormats : public SmallNetwork {
 protected:
  /// Quantizes for the target; weights keep all 8 bits and are stored as codes.
  [[nodiscard]] Model written(const Target& target, bool half, bool per_tensor = false) const {
    std::filesystem::remove(folder_ / "model.onnx");
    write_model(test::parse_half_model(two_products(half)), folder_ / "model.onnx");
    QuantizeOptions given = options("random:normal,n=2");
    given.target = target.spec();
    given.format.int8_weights = true;
    given.format.per_tensor = per_tensor;
    given.format.weight_range = FormatOptions::WeightRange::Mse;
    if (target.saturates_without_vnni) given.format.cpu = Cpu::Vnni;
    static_cast<void>(quantize_model(given));
    return read_model(given.output);
  }
  static const Tensor& constant(const Model& model, const std::string& name) {
    return *model.graph().constant(*model.graph().find_value(name));
  }
  /// Returns every target that takes files with pairs.
  /// Returns the targets that quantize this layer: in a browser it is too small, or its weights alone have codes.
  static std::vector<const Target*> targets() {
    std::vector<const Target*> taking;
    for (const Target& target : target_list())
      if (target.engine.takes_pairs && target.engine.id != Engine::Web && target.engine.id != Engine::WebGpu)
        taking.push_back(&target);
    return taking;
  }
};

// A scale of 1/128 fits all numbers, with code -128 for -1.
TEST_F(WrittenFormats, LeaveOutTheLowestCodeWhereTheEngineWantsThat) {
  for (const Target* target : targets()) {
    const Model model = written(*target, false);
    const auto codes = constant(model, "v_quantized").data<int8_t>();
    const int8_t point = constant(model, "v_zero_point").data<int8_t>()[0];
    EXPECT_EQ(*std::ranges::min_element(codes) - point, target->engine.narrow_weights ? -127 : -128) << target->spec();
  }
}

TEST_F(WrittenFormats, HaveNoZeroPointInTheMiddleWhereTheEngineReadsAnotherScaleThere) {
  for (const Target* target : targets())
    EXPECT_EQ(constant(written(*target, false), "v_zero_point").data<int8_t>()[0],
              target->engine.rescales_middle ? -1 : 0)
        << target->spec();
}

TEST_F(WrittenFormats, HaveUInt8CodesUnderOneScaleWhereTheEngineWantsThat) {
  for (const Target* target : targets()) {
    const Model model = written(*target, false, true);
    EXPECT_EQ(constant(model, "v_quantized").type(),
              target->engine.uint8_single_scales ? DataType::UInt8 : DataType::Int8)
        << target->spec();
  }
}

TEST_F(WrittenFormats, HaveFloat32ScalesBesideHalvesWhereTheEngineWantsThat) {
  for (const Target* target : targets()) {
    const Model model = written(*target, true);
    EXPECT_EQ(constant(model, "v_scale").type(), target->engine.float32_scales ? DataType::Float32 : DataType::Float16)
        << target->spec();
  }
}

}  // namespace
}  // namespace detent
