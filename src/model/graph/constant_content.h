#pragma once

#include <optional>

#include "model/graph/graph.h"

namespace detent {

/// The tensor that a Constant node makes, from whichever of its attributes it has; nullopt for sparse tensors and
/// strings.
[[nodiscard]] std::optional<Tensor> constant_content(const Node& node);

}  // namespace detent
