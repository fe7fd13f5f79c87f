#pragma once

#include <vector>

#include "detent/explain.h"
#include "explain/engine.h"

namespace detent {

/// Returns a row for each layer of an engine: its nodes, types, kind, time and share, cause and cure.
[[nodiscard]] std::vector<ExplainReport::Layer> explain_layers(const BuiltEngine& engine);

/// Returns the shares and counts of the rows.
[[nodiscard]] ExplainReport::Summary summarize(const std::vector<ExplainReport::Layer>& rows);

}  // namespace detent
