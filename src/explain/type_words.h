#pragma once

#include <string>
#include <string_view>

#include "explain/engine.h"

namespace detent {

/// Words for types: "int8", "fp16", "fp32", "fp8", "bf16", "other" and "unknown".

/// Returns the word for an engine's sentence: "fp16" for "Channel major FP16 format where channel % 8 == 0" and "Half".
[[nodiscard]] std::string type_word(std::string_view format);
[[nodiscard]] bool is_float_word(std::string_view word);

/// Returns the type in which a layer computes: that of its weights, else of its kernel's name, else of its tensors.
/// Kernels that take codes apart and put them together again compute in a float type that only tensors can tell.
[[nodiscard]] std::string arithmetic_of(const EngineLayer& layer);

/// Returns true for layers of convolutions and products, by the layer's type; without one, by its nodes.
[[nodiscard]] bool is_weighted(const EngineLayer& layer);

}  // namespace detent
