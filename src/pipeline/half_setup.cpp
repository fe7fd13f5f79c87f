#include "pipeline/half_setup.h"

#include <algorithm>
#include <set>
#include <string>

#include "exec/find_shapes.h"
#include "half/half_model.h"
#include "half/narrow_io.h"
#include "place/plan/coverage.h"

namespace detent {

FloatType float_type_of(const FormatOptions& format, const Target& target) {
  return format.float_type.value_or(target.float_type);
}

HalfSetup set_up_half(Model& model, const Model& reference, FloatType type, std::span<const Tensor> inputs,
                      const DataSource& source, const RunSettings& run) {
  HalfSetup half;
  half.format = float_format(type);
  half.float32 = std::make_shared<const Model>(reference.clone());
  half.reaches = measure_reaches(model.graph(), half.format, source, run);
  half.shapes = find_shapes(model.graph(), inputs);
  half.report = make_half(model, half.format, half.reaches, half.shapes);
  return half;
}

FloatReport plan_half(Model& model, FloatType type, std::span<const Tensor> inputs) {
  const Graph& graph = model.graph();
  FloatReport report =
      make_half(model, float_format(type), unmeasured_reaches(graph, inputs), find_shapes(graph, inputs));
  report.values_measured = false;
  return report;
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

void repeat_half(Model& model, const HalfSetup& half) {
  static_cast<void>(make_half(model, half.format, half.reaches, half.shapes));
}

}  // namespace detent
