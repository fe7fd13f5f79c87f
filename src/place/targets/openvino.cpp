#include <algorithm>
#include <array>

#include "place/targets/targets.h"

namespace detent {
namespace {

// Read in November 2026. No engine of this family runs on our machines: each fact is as good as its source.
constexpr std::string_view kSetups =
    "github.com/openvinotoolkit/nncf, src/nncf/common/hardware/setups/{cpu,gpu,npu}.py and qspaces.py, read 2026-11";
constexpr std::string_view kGroups =
    "github.com/openvinotoolkit/nncf, src/nncf/onnx/graph/metatypes/groups.py, read 2026-11";
constexpr std::string_view kFrontend =
    "github.com/openvinotoolkit/openvino, src/frontends/onnx/frontend/src/op/quantize_linear.cpp, read 2026-11";
constexpr std::string_view kOpsets =
    "github.com/openvinotoolkit/openvino, src/frontends/onnx/frontend/CMakeLists.txt (ONNX_OPSET_VERSION) and "
    "src/core/operator_set.cpp, 2025, read 2026-11";
constexpr std::string_view kTransformations =
    "docs.openvino.ai, low-precision-transformations and quantized-models, read 2026-11";
constexpr std::string_view kOverflow = "github.com/openvinotoolkit/openvino/issues/25342, read 2026-11";

constexpr std::array kEveryDevice{
    SourcedFact{"activations are uint8 asymmetric, weights int8 per channel, symmetric, from -127 to 127", kSetups},
    SourcedFact{"pairs stand on the inputs of layers and elementwise operators, and on no graph output", kGroups},
    SourcedFact{"copies (MaxPool, Reshape, Transpose, Slice ...) take the type that comes and need no pair", kSetups},
    SourcedFact{"a ConvTranspose with asymmetric activations or weights runs in float", kTransformations},
    SourcedFact{"the operands of a product of two activations are symmetric", kSetups},
    SourcedFact{"the scale of DequantizeLinear is FP32; a zero point that is left out is UINT8", kFrontend},
    SourcedFact{"biases stay float", kGroups},
    SourcedFact{
        "the ONNX frontend knows operators up to opset 21; of newer models it warns, and reads each operator in "
        "the newest version that it knows",
        kOpsets},
};

constexpr std::array kCpu{
    SourcedFact{"the inputs of a Concat have one scale", kSetups},
    SourcedFact{"the low precision transformations handle 8 bits only: between 16-bit pairs the CPU runs in float",
                kTransformations},
    SourcedFact{"x86 CPUs without VNNI add two neighbouring products in 16 bits, with saturation", kOverflow},
};
constexpr std::array kGpu{
    SourcedFact{"the inputs of a Concat may have different scales", kSetups},
    SourcedFact{"it has no 16-bit activations", "github.com/intel/onnxruntime/pull/712, read 2026-11"},
};
constexpr std::array kNpu{
    SourcedFact{"the inputs of a Concat have one scale", kSetups},
    SourcedFact{"the inputs of Add, Sub, Mul, Max and Min have one scale", kSetups},
    SourcedFact{"activations may have 16 bits", kSetups},
};

template <size_t A, size_t B>
constexpr std::array<SourcedFact, A + B> with(const std::array<SourcedFact, A>& a,
                                              const std::array<SourcedFact, B>& b) {
  std::array<SourcedFact, A + B> all{};
  std::copy(a.begin(), a.end(), all.begin());
  std::copy(b.begin(), b.end(), all.begin() + A);
  return all;
}

constexpr auto kCpuFacts = with(kEveryDevice, kCpu);
constexpr auto kGpuFacts = with(kEveryDevice, kGpu);
constexpr auto kNpuFacts = with(kEveryDevice, kNpu);

constexpr std::string_view kFloatOnCpu =
    "OpenVINO's low precision transformations handle 8 bits only: its CPU plugin computes between 16-bit pairs in "
    "float, with the accuracy of the codes and without their speed";
constexpr std::array kCpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                               ActivationType{DataType::UInt16, kFloatOnCpu},
                               ActivationType{DataType::Int16, kFloatOnCpu}};
constexpr std::array kGpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8}};
constexpr std::array kNpuTypes{ActivationType{DataType::UInt8}, ActivationType{DataType::Int8},
                               ActivationType{DataType::UInt16}, ActivationType{DataType::Int16}};

/// Returns the facts that all devices share; the caller sets the others.
constexpr Target openvino(std::string_view device, std::span<const ActivationType> types,
                          std::span<const SourcedFact> facts) {
  return Target{.name = "openvino",
                .variant = device,
                .engine = Engine::OpenVino,
                .activation = {.type = DataType::UInt8},
                .activation_types = types,
                .other_types = "its plugin has no kernels for such activations",
                .int8_weight_initializer = true,
                .int32_bias = false,
                .minimum_opset = 13,
                .newest_opset = 21,
                .saturates_without_vnni = device == "cpu",
                .narrow_weights = true,
                .concat_shares_scale = device != "gpu",
                .operands_share_scale = device == "npu",
                .float32_scales = true,
                .fp8 = false,
                .fp8_refusal = "its low precision transformations make kernels of 8-bit integers only",
                .facts = facts};
}

constexpr std::array kOpenVinoTargets{openvino("cpu", kCpuTypes, kCpuFacts), openvino("gpu", kGpuTypes, kGpuFacts),
                                      openvino("npu", kNpuTypes, kNpuFacts)};

}  // namespace

std::span<const Target> openvino_targets() { return kOpenVinoTargets; }

}  // namespace detent
