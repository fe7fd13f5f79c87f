#pragma once

#include <cstddef>

#include "model/model.h"

namespace detent {

/// Does what fold_constants() does, and computes the copies (Transpose, Reshape, Identity ...) of constants that stand
/// inside or behind a pair, where an engine wants the pair at the layer:
///     W --> Q --> Transpose --> DQ --> Reshape --> Conv       becomes       W' --> Q --> DQ --> Conv
/// Scales for each channel follow their axis. A copy stays where it mixes that axis with others, and where other nodes
/// read the same value. Returns the number of nodes removed.
size_t fold_weights(Model& model);

}  // namespace detent
