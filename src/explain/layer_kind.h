#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/engine.h"

namespace detent {

/// Returns what a layer is: "layer" does the network's work, "reformat" changes type or layout, "quantize" is a
/// QuantizeLinear or DequantizeLinear by itself, "copy" moves elements, "none" costs nothing.
[[nodiscard]] std::string kind_of(const EngineLayer& layer);

/// Returns true for "T copy" and "T copy (1)", which copy a part of a Concat.
[[nodiscard]] bool is_named_copy(std::string_view name);

/// Returns the operations of a kernel that Myelin generated: Mul, Min, Max, Roun, Cast of
/// "__myl_MulMinMaxRounCast_myl2_14", and of "__myl_MulMinMaxRouCas_myl2_14"; nothing for other names.
[[nodiscard]] std::vector<std::string_view> kernel_operations(std::string_view name);

}  // namespace detent
