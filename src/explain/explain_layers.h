#pragma once

#include <vector>

#include "detent/explain.h"
#include "explain/engine.h"

namespace detent {

struct ExplainedLayers {
  std::vector<ExplainReport::Layer> rows;
  std::vector<ExplainReport::Advice> advice;
};

/// Returns a row for each layer of an engine: its nodes, types, kind, time and share, cause and cure; and what to do
/// first.
[[nodiscard]] ExplainedLayers explain_with_advice(const BuiltEngine& engine);
/// Returns the rows alone.
[[nodiscard]] std::vector<ExplainReport::Layer> explain_layers(const BuiltEngine& engine);

/// Returns the shares and counts of the rows.
[[nodiscard]] ExplainReport::Summary summarize(const std::vector<ExplainReport::Layer>& rows);

}  // namespace detent
