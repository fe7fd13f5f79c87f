#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace detent {

/// The limits of one kernel for a whole block of attention, Softmax(Q * K) * V.
struct AttentionKernel {
  enum class Type : uint8_t { Half, Int8, Fp8 } type = Type::Half;  ///< of the operands of both products
  std::span<const int64_t> head_sizes = {};  ///< the only ones; empty: multiples of head_step from least to most
  int64_t least_head = 0, most_head = 0, head_step = 1;
  int64_t most_tokens = 0;          ///< queries, and keys; 0: without a limit
  int64_t fewest_tokens = 0;        ///< from which on it was measured to beat 16-bit floats; 0: never measured
  int compute_capability = 0;       ///< least one of the GPU, ten times: 75 is 7.5
  std::string_view condition = {};  ///< on some GPUs, in words; empty without one
};

}  // namespace detent
