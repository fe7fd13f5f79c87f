#include "pipeline/parts/half_setup.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "half/half_model.h"
#include "half/narrow_io.h"
#include "place/plan/coverage.h"
#include "prepare/prepare_model.h"

namespace detent {

namespace {

/// Through the Casts that make the value, or, for what became an output's source, through the Cast that reads it.
ValueId value_before(const Graph& half, const Graph& before, ValueId value) {
  for (ValueId from = value; from != kNoValue && !half.value(from).is_constant;) {
    if (const ValueId same = before.find_value(half.value(from).name); same != kNoValue) return same;
    const Node* producer = half.producer(from);
    if (!producer || producer->op_type != "Cast") break;
    from = producer->input(0);
  }
  for (const Use& use : half.value(value).uses) {
    if (use.slot < 0 || half.node(use.node).op_type != "Cast") continue;
    const ValueId cast = before.find_value(half.value(half.node(use.node).output(0)).name);
    if (cast != kNoValue) return cast;
  }
  return kNoValue;
}

}  // namespace

FloatType float_type_of(const FormatOptions& format, const Target& target) {
  return format.float_type.value_or(target.float_type);
}

HalfSetup set_up_half(Model& model, const Model& reference, FloatType type, ValueReaches reaches) {
  HalfSetup half;
  half.format = float_format(type);
  half.reaches = std::move(reaches);
  half.before = std::make_shared<const Model>(model.clone());
  half.float32 = &reference == &model ? half.before : std::make_shared<const Model>(reference.clone());
  half.report = make_half(model, half.format, half.reaches);
  return half;
}

std::map<ValueId, ValueId> values_before(const Graph& half, const Graph& before, std::span<const ValueId> values) {
  std::map<ValueId, ValueId> found;
  for (const ValueId value : values)
    if (const ValueId carried = value_before(half, before, value); carried != kNoValue) found[value] = carried;
  return found;
}

FloatReport cast_nodes(Model& model, FloatType type, const DataSource& source, const RunSettings& run) {
  raise_for(type, model);
  return make_half(model, float_format(type), measure_reaches(model.graph(), source, run));
}

FloatReport plan_half(Model& model, FloatType type, std::span<const Tensor> inputs) {
  const Graph& graph = model.graph();
  FloatReport report = make_half(model, float_format(type), unmeasured_reaches(graph, inputs));
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
  static_cast<void>(make_half(model, half.format, half.reaches, half.forced));
}

}  // namespace detent
