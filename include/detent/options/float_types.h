#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// The type that computes what is not quantized.
enum class FloatType : uint8_t { Fp32, Fp16, Bf16 };
/// "fp32", "fp16", "bf16".
[[nodiscard]] constexpr std::string_view name_of(FloatType type) {
  return type == FloatType::Fp32 ? "fp32" : type == FloatType::Fp16 ? "fp16" : "bf16";
}

/// Types of graph inputs and outputs.
enum class IoType : uint8_t {
  Keep,  ///< as they were, with casts behind inputs and before outputs
  Same   ///< those of the nodes that read and make them
};

/// What of a model has one type.
struct TypeShare {
  int64_t macs = 0;              ///< of weighted layers
  int64_t activation_bytes = 0;  ///< of the values that nodes read, each once, in the type that the file gives them
};

/// What of a model is INT8, what a 16-bit float, and what wider. All 0 where sizes are open.
struct TypeShares {
  TypeShare int8, half, float32;

  [[nodiscard]] bool has_half() const { return half.macs + half.activation_bytes > 0; }
  [[nodiscard]] int64_t macs() const { return int8.macs + half.macs + float32.macs; }
  [[nodiscard]] int64_t activation_bytes() const {
    return int8.activation_bytes + half.activation_bytes + float32.activation_bytes;
  }
};

/// What a conversion to a 16-bit float type did.
struct FloatReport {
  std::string type;                    ///< "float16", "bfloat16"
  bool values_measured = true;         ///< false: `exceptions` are those that operators, constants and structure tell
  size_t half_nodes = 0;               ///< that compute in it
  size_t float32_nodes = 0;            ///< that stay FP32
  size_t casts = 0;                    ///< Cast nodes that were added
  std::vector<std::string> cut_masks;  ///< constants like -3.4e38 in front of a Softmax, cut to what the type holds
  struct Exception {
    std::string node, op_type;
    std::string
        rule;  ///< "overflow", "inner-sum", "rounding", "constant", "operator", "normalization", "between", "bound"
    std::string value;    ///< that decides; empty where the operator does
    double measured = 0;  ///< what it reaches
    std::string reason;   ///< a sentence without its full stop
  };
  std::vector<Exception> exceptions;  ///< nodes that stay FP32, in execution order
};

}  // namespace detent
