#pragma once

#include <array>

#include "place/engines/target.h"

/// The kernels for a block of attention, by version; rule R20 has the sources. TensorRT may still choose other kernels
/// for reasons of speed.
namespace detent::tensorrt {

inline constexpr std::array<int64_t, 3> kInt8Heads{16, 32, 64};
inline constexpr AttentionKernel kHalfAttention{
    .type = AttentionKernel::Type::Half, .least_head = 16, .most_head = 256, .head_step = 8, .compute_capability = 75};
inline constexpr AttentionKernel kInt8Attention{
    .type = AttentionKernel::Type::Int8, .head_sizes = kInt8Heads, .most_tokens = 512, .compute_capability = 75};
/// The same where it was measured (tests/engines/tensorrt/README.md): windows of 49 tokens lose by it, 128 gain.
inline constexpr AttentionKernel kMeasuredInt8Attention{.type = AttentionKernel::Type::Int8,
                                                        .head_sizes = kInt8Heads,
                                                        .most_tokens = 512,
                                                        .fewest_tokens = 64,
                                                        .compute_capability = 75};
inline constexpr AttentionKernel kFp8Attention{.type = AttentionKernel::Type::Fp8,
                                               .least_head = 16,
                                               .most_head = 256,
                                               .head_step = 8,
                                               .compute_capability = 89,
                                               .condition = "on Ada with heads of at most 64 and at most 3072 tokens"};
inline constexpr std::array kAttentionBefore10{kHalfAttention, kMeasuredInt8Attention};
inline constexpr std::array kAttention{kHalfAttention, kMeasuredInt8Attention, kFp8Attention};
inline constexpr std::array kAttentionOfRtx{kHalfAttention, kInt8Attention, kFp8Attention};

constexpr std::span<const AttentionKernel> attention_kernels(int major) {
  if (major < 10) return kAttentionBefore10;
  return kAttention;
}

}  // namespace detent::tensorrt
