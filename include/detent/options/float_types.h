#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Type in which nodes that are not quantized compute.
enum class FloatType : uint8_t { Fp32, Fp16, Bf16 };
/// Returns "fp32", "fp16" or "bf16".
[[nodiscard]] constexpr std::string_view name_of(FloatType type) {
  return type == FloatType::Fp32 ? "fp32" : type == FloatType::Fp16 ? "fp16" : "bf16";
}

/// Types of graph inputs and outputs.
enum class IoType : uint8_t {
  Keep,  ///< unchanged, with casts after inputs and before outputs
  Same   ///< the types of the nodes that read and make them
};

/// Part of a model that has one type.
struct TypeShare {
  int64_t macs = 0;              ///< of weighted layers
  int64_t activation_bytes = 0;  ///< of the values that nodes read, each once, in the file's type
};

/// Parts of a model that are INT8, a 16-bit float, and wider. All 0 where sizes are open.
struct TypeShares {
  TypeShare int8, half, float32;

  [[nodiscard]] bool has_half() const { return half.macs + half.activation_bytes > 0; }
};

/// Result of a conversion to a 16-bit float type.
struct FloatReport {
  std::string type;                    ///< "float16", "bfloat16"
  bool values_measured = true;         ///< false: only operators, constants and structure decided `exceptions`
  bool values_bounded = false;         ///< the pairs' scales and the weights decided too; values_measured is false
  size_t half_nodes = 0;               ///< that compute in the type
  size_t float32_nodes = 0;            ///< that stay FP32
  size_t casts = 0;                    ///< Cast nodes that were added
  std::vector<std::string> cut_masks;  ///< constants like -3.4e38 before a Softmax, cut to what the type holds
  struct Exception {
    std::string node, op_type;
    /// Id: "overflow", "inner-sum", "rounding", "cancellation", "constant", "operator", "normalization", "between",
    /// "pair", "bound" or "user".
    std::string rule;
    std::string value;    ///< name of the value that decides; empty: the operator does
    double measured = 0;  ///< what the value reaches
    std::string reason;   ///< a clause
  };
  std::vector<Exception> exceptions;  ///< nodes that stay FP32, in execution order
};

}  // namespace detent
