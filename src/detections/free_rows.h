#pragma once

#include <string>
#include <vector>

#include "model/graph/value_shapes.h"

namespace detent {

/// Outputs whose rows one TopK selects: row i of one belongs to row i of the others. The order of the rows is that of
/// scores, which quantization changes.
struct FreeRows {
  struct Axis {
    std::string output;
    int64_t axis = 1;  ///< of the rows
  };
  std::vector<Axis> outputs;
};

/// Finds outputs whose rows are those that a TopK selects, by a Gather, GatherElements or GatherND with its indices, or
/// as its own outputs. Between them may be movement of data and arithmetic element by element. Outputs of one TopK
/// form one entry; entries without gathered rows, whose order is fixed, are left out.
/// shapes   of one run; values without a shape are not followed
/// Returns  empty for graphs without TopK.
[[nodiscard]] std::vector<FreeRows> find_free_rows(const Graph& graph, const ValueShapes& shapes);

}  // namespace detent
