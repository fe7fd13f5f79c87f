#pragma once

#include <cstdint>

#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/graph_patch.h"

namespace detent {

struct CastPatch {
  GraphPatch patch;
  size_t casts = 0;  ///< Cast nodes that are added
};

/// The change of a float model that carries out `plan`.
///
/// A value has the type of the node that makes it. Readers of the other type read one Cast of it, or what a Cast before
/// it was made of. Constants are stored in the type they are read in, in both where both read them; numbers beyond the
/// type's range, which only bounds of a Clip may hold, become its largest. Graph inputs and outputs keep their types
/// (narrow_io changes that).
/// Empty  when no node is half.
[[nodiscard]] CastPatch insert_casts(const Graph& graph, const FloatPlan& plan, const ValueReaches& reaches);

}  // namespace detent
