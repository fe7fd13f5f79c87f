#include "pipeline/parts/cast_nodes.h"

#include <algorithm>
#include <set>
#include <string>

#include "half/half_model.h"
#include "half/narrow_io.h"
#include "half/value_reach.h"
#include "place/plan/coverage.h"
#include "prepare/prepare_model.h"

namespace detent {

FloatReport cast_nodes(Model& model, FloatType type, const DataSource& source, const RunSettings& run) {
  return cast_nodes(model, type, float_format(type), source, run);
}

FloatReport cast_nodes(Model& model, FloatType type, const FloatFormat& format, const DataSource& source,
                       const RunSettings& run, const ForcedFloat32& forced) {
  raise_for(type, model);
  return make_half(model, format, measure_reaches(model.graph(), source, run), forced);
}

int64_t narrowed_input_bytes(const Graph& graph, const PlacementPlan& plan, const FloatFormat& format,
                             const ValueShapes& shapes) {
  int64_t bytes = 0;
  const std::set<NodeId> inside = casts_inside_pairs(graph, plan);
  const std::set<std::string> narrowed = narrow_io(graph, format.type).casts;
  for (const ValueId id : graph.inputs()) {
    const Value& input = graph.value(id);
    const auto shape = shapes.find(id);
    const bool is_narrowed = std::ranges::any_of(
        input.uses, [&](const Use& use) { return use.slot >= 0 && narrowed.contains(graph.node(use.node).name); });
    const bool counts = std::ranges::any_of(input.uses, [&](const Use& use) { return !inside.contains(use.node); });
    if (is_narrowed && counts && shape != shapes.end())
      bytes += shape->second.element_count() * static_cast<int64_t>(byte_size(DataType::Float32));
  }
  return bytes;
}

}  // namespace detent
