#pragma once

#include <optional>
#include <string>

#include "ops/simd/vector_limit.h"

namespace detent {

/// Returns the limit that use_instruction_set() names; nullopt for "native".
/// Errors  Usage for another name; InvalidOption where this CPU lacks it.
[[nodiscard]] std::optional<VectorLimit> limit_of(const std::string& name);

}  // namespace detent
