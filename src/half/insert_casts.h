#pragma once

#include <cstdint>

#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/graph_patch.h"

namespace detent {

/// A patch that inserts casts.
struct CastPatch {
  GraphPatch patch;
  size_t casts = 0;  ///< Cast nodes that are added
};

/// Returns the patch that carries out `plan`.
///
/// A value has the type of the node that writes it. Readers of the other type share one Cast of it. A constant is
/// stored in the type in which it is read, in both types where both read it; numbers beyond the type's range (only
/// bounds of a Clip may hold them) become its largest number. Graph inputs and outputs keep their types (narrow_io
/// changes that).
/// Empty  when no node computes in 16 bits.
[[nodiscard]] CastPatch insert_casts(const Graph& graph, const FloatPlan& plan, const ValueReaches& reaches);

}  // namespace detent
