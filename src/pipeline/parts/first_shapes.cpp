#include "pipeline/parts/first_shapes.h"

#include "exec/find_shapes.h"
#include "prepare/shapes_without_data.h"
#include "run/model_inputs.h"

namespace detent {

ValueShapes first_shapes(const Graph& graph, const DataSource* source, const RunSettings& run) {
  if (source) return find_shapes(graph, read_first_inputs(*source, run));
  return shapes_without_data(graph, {}).value_or(ValueShapes{});
}

}  // namespace detent
