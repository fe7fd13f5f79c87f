#include <algorithm>

#include "detent/detent.h"
#include "pipeline/plan_report.h"
#include "pipeline/prepare_model.h"

namespace detent {

namespace {

/// Input shapes to run on: declared extents, an open batch as 1, everything else from --shape. Empty -> some size is open.
std::vector<Shape> shapes_to_run(const Graph& graph, const std::map<std::string, std::vector<int64_t>>& given) {
  for (const auto& [name, shape] : given)
    if (const ValueId id = graph.find_value(name); id == kNoValue || !graph.value(id).is_input)
      throw Error(ErrorCode::InvalidOption, "--shape names '" + name + "', which is not an input of the model");
  std::vector<Shape> shapes;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (!value.declared_shape && !given.count(value.name)) return {};
    std::vector<int64_t> extents = given.count(value.name) ? given.at(value.name) : *value.declared_shape;
    const auto& declared = value.declared_shape;
    if (declared && declared->size() != extents.size())
      throw Error(ErrorCode::InvalidOption, "--shape gives '" + value.name + "' rank " +
                                                std::to_string(extents.size()) + ", the model declares rank " +
                                                std::to_string(declared->size()));
    if (!extents.empty() && extents.front() < 0) extents.front() = 1;
    for (size_t i = 0; i < extents.size(); ++i) {
      if (extents[i] < 0) return {};
      if (declared && (*declared)[i] >= 0 && (*declared)[i] != extents[i])
        throw Error(ErrorCode::InvalidOption, "--shape gives '" + value.name + "' extent " +
                                                  std::to_string(extents[i]) + " on axis " + std::to_string(i) +
                                                  ", the model fixes " + std::to_string((*declared)[i]));
    }
    shapes.emplace_back(std::span<const int64_t>(extents));
  }
  return shapes;
}

/// Shapes do not depend on the content, so zeros do.
std::vector<Tensor> zero_inputs(const Graph& graph, const std::vector<Shape>& shapes) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Value& value = graph.value(graph.inputs()[i]);
    Tensor zeros(value.declared_type.value_or(DataType::Float32), shapes[i]);
    std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
    inputs.push_back(std::move(zeros));
  }
  return inputs;
}

}  // namespace

PlanReport plan_model(const PlanModelOptions& options) {
  const Target& target = find_target(options.target);
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const Preparation preparation = prepare_model(model, target, prepare_options(options.placement));
  const Graph& graph = model.graph();
  const std::vector<Shape> shapes = shapes_to_run(graph, options.shapes);
  ValueShapes known;
  std::string note;
  if (shapes.size() == graph.inputs().size())
    known = find_shapes(graph, zero_inputs(graph, shapes));
  else
    note = "input sizes are open: give --shape NAME=1,3,224,224 to have MACs and bytes counted";
  const PlacementPlan plan = make_placement_plan(graph, target, options.placement, known);
  PlanReport report = describe_plan(plan, graph, options.model.string(), facts, preparation.folded_batchnorms);
  if (!note.empty()) report.notes.push_back(note);
  return report;
}

}  // namespace detent
