#pragma once

#include <cstdint>

namespace detent {

/// The type that computes what is not quantized.
enum class FloatType : uint8_t { Fp32, Fp16, Bf16 };

/// Types of graph inputs and outputs.
enum class IoType : uint8_t {
  Keep,  ///< as they were, with casts behind inputs and before outputs
  Same   ///< those of the nodes that read and make them
};

}  // namespace detent
