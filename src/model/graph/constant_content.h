#pragma once

#include <optional>

#include "model/graph/graph.h"

namespace detent {

/// Returns the tensor of a Constant node, from any of its attributes; nullopt for sparse tensors and strings.
[[nodiscard]] std::optional<Tensor> constant_content(const Node& node);

}  // namespace detent
