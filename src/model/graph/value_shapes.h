#pragma once

#include <map>

#include "model/graph/graph.h"

namespace detent {

/// Shapes of values for one sample, from a run. A value that did not run has none.
using ValueShapes = std::map<ValueId, Shape>;

}  // namespace detent
