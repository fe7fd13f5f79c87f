#pragma once

#include <cstddef>

#include "model/model.h"
#include "place/engines/target.h"

namespace detent {

/// Brings the operators of the main graph into a form, if the engine wants it; raises the opset to 20 for a Gelu where
/// that is possible. Returns true when something changed.
bool bring_into_form(Model& model, const Target& target, OperatorForm form);
/// Does so with each form that the engine wants. Returns how many changed something.
size_t bring_into_forms(Model& model, const Target& target);
/// True when bring_into_forms() may change the graph.
[[nodiscard]] bool lacks_forms(const Graph& graph, const Target& target);

}  // namespace detent
