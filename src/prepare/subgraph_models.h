#pragma once

#include <functional>

#include "model/model.h"

namespace detent {

/// Makes of every graph that a node of the main graph holds (If, Loop, Scan) a model of its own, as `change` and what
/// it calls can patch the main graph only, calls `change(inner)`, and puts what became of it back. All values of the
/// graph around it that the inner graph does not define are inputs of that model (constants of up to 4096 elements
/// initializers), so that no new name hides one; they are taken out again. Its opset imports are the model's; changes
/// of them are lost. wanted  asked first; graphs for which it is false stay untouched.
/// Errors  what `change` throws;
/// the model is then half changed.
void change_subgraphs(Model& model, const std::function<bool(const Graph&)>& wanted,
                      const std::function<void(Model& inner)>& change);

/// Calls `look(holder, inner)` for every graph that a node of the main graph holds, for the nodes for which `wanted` is
/// true: `inner` is such a model, and all constants that it reads are initializers of it. It is gone afterwards.
void look_at_subgraphs(const Model& model, const std::function<bool(const Node&)>& wanted,
                       const std::function<void(const Node& holder, const Model& inner)>& look);

}  // namespace detent
