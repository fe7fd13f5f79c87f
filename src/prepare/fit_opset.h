#pragma once

#include <cstdint>

#include "model/model.h"
#include "place/engines/target.h"

namespace detent {

/// Returns the last opset that a target reads, where it refuses models of a newer one; 0 where it takes any.
[[nodiscard]] int64_t opset_limit(const Target& target);

/// Brings the model to the last opset, and the ir_version with it, that the target reads. Does nothing for targets
/// without a limit, and for models within it. Operators that opset 17 and later brought are written with older ones
/// where that is exact (Gelu, Swish, RMSNormalization, GroupNormalization ...); attributes with a neutral value go.
/// Errors  InvalidOption for codes of 4 bits where the target has none; Unsupported naming every node without such a
/// form, and the opset that it needs; the hint names the nearest
///         version of the engine that reads it. The model is unchanged then.
void fit_opset(Model& model, const Target& target);

/// Refuses an opset, which codes or types of the file need, beyond the target's limit.
/// what  "4-bit codes need"
/// Errors  InvalidOption, with the nearest version that reads it.
void check_opset_limit(const Target& target, int64_t opset, const std::string& what);

}  // namespace detent
