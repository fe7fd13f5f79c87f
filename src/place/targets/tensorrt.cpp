#include <array>

#include "place/targets/targets.h"

namespace detent {
namespace {

constexpr std::string_view kGuide =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html";
constexpr std::string_view kGuide8 =
    "docs.nvidia.com/deeplearning/tensorrt/archives/tensorrt-861/developer-guide/index.html#qdq-placement-recs";
constexpr std::string_view kParser = "github.com/onnx/onnx-tensorrt, onnxOpImporters.cpp, QuantizeLinear";
constexpr std::string_view kHeader =
    "github.com/NVIDIA/TensorRT, include/NvInfer.h, IQuantizeLayer and IDequantizeLayer";

// True for every version we write for.
constexpr std::array kEveryVersion{
    SourcedFact{"INT8 is symmetric: the zero point is INT8, all 0, constant and never omitted", kParser},
    SourcedFact{"UINT8 is rejected outside DLA", kParser},
    SourcedFact{"activation scales are per tensor, weight scales per channel; all positive", kGuide},
    SourcedFact{"without an axis attribute the parser takes 0 where ONNX says 1", kParser},
    SourcedFact{"bias stays float: an INT32 DequantizeLinear is not supported",
                "github.com/NVIDIA/TensorRT/issues/4542"},
    SourcedFact{"QLinear* and ...Integer operators are refused", kGuide},
    SourcedFact{"GPUs up to SM 7.5 may lack INT8 kernels for explicit quantization", kGuide},
};

constexpr std::array kVersion10{
    kEveryVersion[0],
    kEveryVersion[1],
    kEveryVersion[2],
    kEveryVersion[3],
    kEveryVersion[4],
    kEveryVersion[5],
    kEveryVersion[6],
    SourcedFact{"an INT8 initializer with DequantizeLinear is accepted for Conv and ConvTranspose alike",
                "github.com/NVIDIA/TensorRT/issues/4542"},
    SourcedFact{"FP16 scales are taken below opset 19 too", kHeader},
};

constexpr std::array kVersion8{
    kEveryVersion[0],
    kEveryVersion[1],
    kEveryVersion[2],
    kEveryVersion[3],
    kEveryVersion[4],
    kEveryVersion[5],
    kEveryVersion[6],
    SourcedFact{"an INT8 initializer with DequantizeLinear failed: write FP32 weights with a full pair",
                "github.com/NVIDIA/TensorRT/issues/2163"},
    SourcedFact{"grouped INT8 ConvTranspose needed at least 4 channels per group",
                "github.com/NVIDIA/TensorRT/issues/1934"},
    SourcedFact{"pairs go in front of weighted ops and on the skip of a residual Add", kGuide8},
};

constexpr Target tensorrt(int major, int minor, std::span<const SourcedFact> facts) {
  return Target{.name = "tensorrt",
                .version_major = major,
                .version_minor = minor,
                .engine = Engine::TensorRT,
                .activation = {.type = DataType::Int8},
                .activation_type_fixed = true,
                .int8_weight_initializer = major >= 10,
                .int32_bias = false,
                .minimum_opset = 13,
                .pairs_behind_outputs_of_quantized_ops = false,
                .every_consumer_reads_the_pair = false,
                .fp16_scales_below_opset19 = true,
                .facts = facts};
}

constexpr std::array kTargets{tensorrt(10, 13, kVersion10), tensorrt(10, 8, kVersion10), tensorrt(8, 6, kVersion8)};

}  // namespace

std::span<const Target> tensorrt_targets() { return kTargets; }

}  // namespace detent
