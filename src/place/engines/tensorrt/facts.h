#pragma once

#include <array>

#include "place/engines/target.h"

/// Facts about TensorRT's versions, with the sources.
namespace detent::tensorrt {

inline constexpr std::string_view kTensorRtGuide =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html";
inline constexpr std::string_view kGuide8 =
    "docs.nvidia.com/deeplearning/tensorrt/archives/tensorrt-861/developer-guide/index.html#qdq-placement-recs";
// The importer of QuantizeLinear and DequantizeLinear, github.com/onnx/onnx-tensorrt. Facts common to 9.x and the
// newest version hold for 10.x.
inline constexpr std::string_view kParser8 = "onnx-tensorrt 8.x, builtin_op_importers.cpp, QuantDequantLinearHelper";
inline constexpr std::string_view kParser10 =
    "onnx-tensorrt 9.x, builtin_op_importers.cpp, and main at dd0a3a9, onnxOpImporters.cpp, QuantDequantLinearHelper";
inline constexpr std::string_view kParser11 =
    "github.com/onnx/onnx-tensorrt, main at dd0a3a9 (after 10.13), onnxOpImporters.cpp, QuantDequantLinearHelper";
inline constexpr std::string_view kHeader =
    "github.com/NVIDIA/TensorRT, include/NvInfer.h, IQuantizeLayer and IDequantizeLayer";

// Facts of every supported version.
inline constexpr std::array kEveryVersion{
    SourcedFact{"INT8 is symmetric: the zero point is INT8 and all 0; written out it means the same to every version",
                kHeader},
    SourcedFact{"activation scales are per tensor, weight scales per channel; all positive", kTensorRtGuide},
    SourcedFact{"bias stays float: an INT32 DequantizeLinear is not supported",
                "github.com/NVIDIA/TensorRT/issues/4542"},
    SourcedFact{"QLinear* and ...Integer operators are refused", kTensorRtGuide},
    SourcedFact{"GPUs up to SM 7.5 may lack INT8 kernels for explicit quantization", kTensorRtGuide},
};

// Facts of 10.x. The release notes of 10.9 to 10.13 name no other feature that affects an INT8 pair: FP4 (10.8) and
// MXFP8 (10.12) are other types, faster INT8 kernels (10.10, Blackwell) need no other placement. Source:
// docs.nvidia.com/deeplearning/tensorrt/latest/getting-started/release-notes-10/10.8.0.html to 10.13.0.html.
inline constexpr std::array kVersion10{
    SourcedFact{"an INT8 initializer with DequantizeLinear is accepted for Conv and ConvTranspose alike",
                "github.com/NVIDIA/TensorRT/issues/4542"},
    SourcedFact{"FP16 scales are taken below opset 19 too", kHeader},
    SourcedFact{"an omitted zero point is INT8, where ONNX says UINT8", kParser10},
    SourcedFact{"DequantizeLinear gives the type of its scale", kParser10},
    SourcedFact{"a zero point of type float8e4m3fn makes the pair FP8; its number is not read", kParser10},
    SourcedFact{"FP8 kernels need a GPU of Ada, Hopper or later; those of Conv, Gemm, MatMul and residual Add exist",
                "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization/fp8.py"},
};

inline constexpr std::array kBefore11{
    SourcedFact{"without an axis attribute older parsers take axis 0 for scales per channel, newer ones 1 as ONNX says",
                kParser10},
};

// The differences between 10.8 and 10.13 do not affect the files that we write: no UINT8 for this engine, and unchanged
// groups.
inline constexpr std::array kOnly10_13{
    SourcedFact{
        "UINT8 and other zero points are taken on DLA with a parser flag, from 10.11 on, and rejected elsewhere",
        "github.com/onnx/onnx-tensorrt/pull/1026"},
    SourcedFact{"grouped INT8 ConvTranspose with fewer than 4 channels per group was seen working from 10.9 on",
                "github.com/NVIDIA/TensorRT/issues/1934"},
};

// Version 11 removed weak typing: no FP16 or INT8 flags, no calibrators, no calibration caches; a network is built in
// the types of the file. Source: docs.nvidia.com/deeplearning/tensorrt, "Migrating from TensorRT 10.x to 11.x".
inline constexpr std::string_view kMigration =
    "docs.nvidia.com/deeplearning/tensorrt/latest/api/migration/tensorrt-10x-to-11x.html, Strongly Typed Networks Are "
    "Now Required";
inline constexpr std::string_view kModelOpt =
    "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/utils.py, fold_q_fp16_to_fp32_casts and "
    "fold_dq_fp32_to_fp16_casts";
inline constexpr std::array kOnly11{
    SourcedFact{"networks are strongly typed: every operator computes in the type that the file gives it", kMigration},
    SourcedFact{"calibrators and calibration caches are gone: ranges come only as pairs", kMigration},
    SourcedFact{"a UINT8 zero point is read as INT8, with a line in the log, unless the parser flag for DLA is set",
                kParser11},
    SourcedFact{"UINT8 data of DequantizeLinear is refused without that flag", kParser11},
    SourcedFact{"codes are INT8, FP8, INT4 or FP4: INT16 is not taken", kParser11},
    SourcedFact{"zero points other than 0 are refused, and there are as many as scales", kParser11},
    SourcedFact{"an axis that is left out is 1 from opset 13 on, 0 below", kParser11},
    SourcedFact{"the scale of QuantizeLinear has the type of what it reads; below opset 19 the parser casts it",
                kParser11},
    SourcedFact{"scales are one number, one a channel (rank 1), or blocked in one dimension with the rank of the data",
                kParser11},
    SourcedFact{"a cast between a kernel and its Q or DQ prevents fusion: write the scale in the kernel's type",
                kModelOpt},
};

inline constexpr std::array kOnly10_8{
    SourcedFact{"UINT8 is rejected", "github.com/onnx/onnx-tensorrt/pull/886"},
};

inline constexpr std::array kOnly8_6{
    SourcedFact{"the zero point may not be omitted", kParser8},
    SourcedFact{"DataType::kFP8 \"is not supported yet and will result in an error or undefined behavior\"",
                "github.com/NVIDIA/TensorRT, release 8.6, include/NvInferRuntimeBase.h"},
    SourcedFact{"without an axis attribute scales per channel lie on axis 0, where ONNX says 1", kParser8},
    SourcedFact{"UINT8 is rejected", "github.com/onnx/onnx-tensorrt/pull/886"},
    SourcedFact{"an INT8 initializer with DequantizeLinear failed: write FP32 weights with a full pair",
                "github.com/NVIDIA/TensorRT/issues/2163"},
    SourcedFact{"grouped INT8 ConvTranspose needed at least 4 channels per group",
                "github.com/NVIDIA/TensorRT/issues/1934"},
    SourcedFact{"pairs go in front of weighted ops and on the skip of a residual Add", kGuide8},
};

inline constexpr auto kFacts10_13 = facts_of(kEveryVersion, kVersion10, kBefore11, kOnly10_13);
inline constexpr auto kFacts10_8 = facts_of(kEveryVersion, kVersion10, kBefore11, kOnly10_8);
inline constexpr auto kFacts11 = facts_of(kEveryVersion, kVersion10, kOnly11);
inline constexpr auto kFacts8_6 = facts_of(kEveryVersion, kOnly8_6);

// Fused attention. TensorRT may still choose other kernels for reasons of speed.
inline constexpr std::string_view kAttentionSource =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-fused-attention.html; "
    "github.com/NVIDIA/TensorRT/issues/2981, 3714 and 4167";
inline constexpr std::array<int64_t, 3> kInt8Heads{16, 32, 64};
inline constexpr AttentionKernel kHalfAttention{.type = AttentionKernel::Type::Half,
                                                .least_head = 16,
                                                .most_head = 256,
                                                .head_step = 8,
                                                .compute_capability = 75,
                                                .source = kAttentionSource};
inline constexpr AttentionKernel kInt8Attention{.type = AttentionKernel::Type::Int8,
                                                .head_sizes = kInt8Heads,
                                                .most_tokens = 512,
                                                .compute_capability = 75,
                                                .source = kAttentionSource};
inline constexpr AttentionKernel kFp8Attention{
    .type = AttentionKernel::Type::Fp8,
    .least_head = 16,
    .most_head = 256,
    .head_step = 8,
    .compute_capability = 89,
    .condition = "on Ada with heads of at most 64 and at most 3072 tokens",
    .source =
        "docs.nvidia.com/deeplearning/tensorrt/latest/getting-started/release-notes-10/10.6.0.html; "
        "github.com/NVIDIA/Model-Optimizer/pull/1289"};
inline constexpr std::array kAttentionBefore10{kHalfAttention, kInt8Attention};
inline constexpr std::array kAttention{kHalfAttention, kInt8Attention, kFp8Attention};

constexpr std::span<const AttentionKernel> attention_kernels(int major) {
  if (major < 10) return kAttentionBefore10;
  return kAttention;
}

}  // namespace detent::tensorrt
