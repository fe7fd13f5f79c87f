#pragma once

#include <functional>

#include "model/model.h"

namespace detent {

/// Turns every graph that a node of the main graph holds (If, Loop, Scan) into a separate model, calls `change(inner)`
/// and puts the result back: functions that patch a model reach the main graph only. All outer values that the inner
/// graph does not define are inputs of that model (constants of up to 4096 elements initializers), so that no new name
/// hides one; they are removed afterwards. Its opset imports are the model's; changes to them are lost.
/// wanted  asked first; graphs for which it is false stay untouched
/// Errors  those of `change`; the model is then partly changed.
void change_subgraphs(Model& model, const std::function<bool(const Graph&)>& wanted,
                      const std::function<void(Model& inner)>& change);

/// Calls `look(holder, inner)` for every graph that a node of the main graph holds, for nodes for which `wanted` is
/// true. `inner` is such a model, with all constants that it reads as initializers; it is destroyed afterwards.
void look_at_subgraphs(const Model& model, const std::function<bool(const Node&)>& wanted,
                       const std::function<void(const Node& holder, const Model& inner)>& look);

}  // namespace detent
