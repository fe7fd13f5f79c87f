#include "pipeline/shapes_without_data.h"

#include <algorithm>

#include "pipeline/plan_report.h"

namespace detent {

namespace {

/// Input shapes to run on: declared extents, an open batch as 1, everything else from --shape. Empty -> some size is open.
std::vector<Shape> shapes_to_run(const Graph& graph, const InputShapes& given) {
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

std::optional<ValueShapes> shapes_without_data(const Graph& graph, const InputShapes& given) {
  const std::vector<Shape> shapes = shapes_to_run(graph, given);
  if (shapes.size() != graph.inputs().size()) return std::nullopt;
  return find_shapes(graph, zero_inputs(graph, shapes));
}

}  // namespace detent
