#pragma once

#include <string>

#include "model/graph/graph.h"

namespace detent {

/// What the model calls its batch: the symbolic extent of its inputs that is named so ("batch_size", "N" in front), else the one that most
/// inputs share, then most outputs, then on the lowest axis. "" where names do not tell: none is shared, or all inputs that share it have
/// a fixed batch of 1 in front (["1", "tokens"] twice).
[[nodiscard]] std::string batch_symbol(const Graph& graph);

/// The axis of `value` that carries the symbol; -1 for none.
[[nodiscard]] int axis_of_symbol(const Value& value, const std::string& symbol);

/// True when the name itself says that it counts samples: it holds "batch", or is b, bs or n.
[[nodiscard]] bool is_named_batch(const std::string& symbol);

}  // namespace detent
