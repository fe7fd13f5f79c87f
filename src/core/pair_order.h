#pragma once

#include <cstdint>
#include <vector>

#include "core/index.h"
#include "detent/base/tensor.h"

namespace detent {

/// The order in which weights of an integer product are paired. x86 CPUs without VNNI multiply two uint8 activations by
/// two int8 weights in one instruction (vpmaddubsw), which adds both products in 16 bits and saturates. ONNX Runtime
/// takes the weights (2i, 2i + 1) of each output: of a convolution in the order kernel row, kernel column, channel of
/// the group; of a matrix along the inner axis. The last of an odd number stands alone. Depthwise convolutions add in
/// 32 bits. OpenVINO's ConvTranspose, and its Conv without groups, take channels (2i, 2i + 1) of one place
/// of the kernel; asked on AVX2.
/// Source  onnxruntime/core/mlas/lib: QgemmU8X8KernelAvx2.asm, ConvSymKernelAvx2; Intel's instruction reference,
/// VPMADDUBSW.
struct PairOrder {
  enum class Kind : uint8_t {
    None,           ///< products are added exactly, whatever the weights
    Convolution,    ///< weight [outputs, channels of a group, kernel...]
    Deconvolution,  ///< weight [channels, outputs, kernel...] without groups: channels of one place of the kernel
    Matrix,         ///< the inner axis is the other one of the last two
  };
  Kind kind = Kind::None;
  int output_axis = 0;      ///< one index is one output
  bool taps_apart = false;  ///< Convolution: both weights of a pair belong to one place of the kernel

  friend bool operator==(const PairOrder&, const PairOrder&) = default;
};

/// The outputs of a weight: their number, and the distance between the weights of one and those of the next.
struct PairOutputs {
  int64_t count = 1, step = 0;
  PairOutputs(const Shape& shape, const PairOrder& order) {
    const auto axis = as_index(order.output_axis);
    if (shape.rank() < 2) return;  // a vector has one
    count = shape[axis];
    step = shape.element_count(axis + 1, shape.rank());
  }
};

/// Returns the offsets of the weights of output 0, pair by pair: offsets 2i and 2i + 1 are neighbours, and -1 stands
/// for the missing neighbour of a last one. The weights of output o lie o * PairOutputs::step further.
/// Empty   Kind::None, and shapes without elements -> empty.
/// Errors  Internal for a shape that has no such output axis.
[[nodiscard]] std::vector<int64_t> pair_offsets(const Shape& shape, const PairOrder& order);

/// True when no activation codes 0..255 make a * u + b * v exceed 16 bits: weights of equal sign add up to 128 at most.
[[nodiscard]] constexpr bool is_safe_pair(int32_t a, int32_t b) {
  constexpr int32_t kMost = 128;  // 255 * 128 = 32640 fits 16 bits, 255 * 129 = 32895 does not
  const int32_t above = (a > 0 ? a : 0) + (b > 0 ? b : 0), below = (a < 0 ? a : 0) + (b < 0 ? b : 0);
  return above <= kMost && below >= -kMost;
}

/// Counts of unsafe pairs of a weight and of outputs that have one.
struct UnsafePairs {
  int64_t pairs = 0, outputs = 0;  ///< unsafe ones
  int64_t all_pairs = 0;
};
/// Counts the pairs of int8 codes that can saturate.
/// Empty  Kind::None -> zeros.
[[nodiscard]] UnsafePairs count_unsafe_pairs(const Tensor& codes, const PairOrder& order);

/// Returns the least scale, from `scale` on, whose codes of all these weights are safe: code(w) = round_half_even(w /
/// scale). Codes shrink as the scale grows, so a safe pair stays safe. Returns `scale` when all are safe.
///
/// weights  two a pair: weights[2i] and weights[2i + 1] are neighbours
[[nodiscard]] float least_safe_scale(std::span<const float> weights, float scale);

}  // namespace detent
