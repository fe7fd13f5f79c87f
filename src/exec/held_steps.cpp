#include "exec/held_steps.h"

#include <algorithm>
#include <memory>
#include <variant>

#include "exec/shape_needs.h"
#include "model/graph/file_boundary.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Bytes that one executor keeps; where there are more, the steps run again.
constexpr size_t kMostInFront = size_t{512} << 20, kMostOfShapes = size_t{4} << 20;

bool same_form(const Tensor& one, const Tensor& other) {
  return one.shape() == other.shape() && one.type() == other.type() && !one.is_sequence();
}

bool same_tensor(const Tensor& one, const Tensor& other) { return one.raw() == other.raw() && same_form(one, other); }

/// The parts of a value that follow from the shapes of the graph's inputs.
struct FixedParts {
  bool shape = false, elements = false;
};

bool has_graphs(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

/// Returns the parts of the node's outputs that follow, given those of its inputs.
FixedParts fixed_by(const Graph& graph, const Node& node, const ValueMap<FixedParts>& parts) {
  const OpTraits& traits = traits_of(graph, node);
  if (node.inputs.empty() || has_graphs(node) || traits.kind == OpKind::Sequence) return {};
  const size_t data = !keeps_shapes_apart(traits.kind) ? 0
                      : traits.data_inputs < 0         ? node.inputs.size()
                                                       : static_cast<size_t>(traits.data_inputs);
  FixedParts fixed{true, true};
  for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
    if (!node.inputs[slot]) continue;
    const FixedParts& read = parts[*node.inputs[slot]];
    fixed.shape = fixed.shape && (slot < data ? read.shape : read.elements);
    fixed.elements = fixed.elements && (traits.kind == OpKind::ShapeOf ? read.shape : read.elements);
  }
  return fixed;
}

}  // namespace

HeldSteps::HeldSteps(const Schedule& schedule) {
  const Graph& graph = schedule.graph();
  const auto is_boundary = [&](const Step& step) { return is_file_boundary(graph.node(step.node)); };
  if (std::ranges::any_of(schedule.steps(), is_boundary))
    find_in_front(schedule);
  else
    find_of_shapes(schedule);
  if (empty()) return;
  const std::span<const Step> steps = schedule.steps();
  is_read_.assign(graph.values().size(), false);
  for (const Value& value : graph.values()) is_read_[value.id] = schedule.is_wanted(value.id);
  for (size_t i = 0; i < steps.size(); ++i)
    for (const ValueId value : held_[i] ? std::vector<ValueId>() : reads_of(steps[i])) is_read_[value] = true;
}

void HeldSteps::find_in_front(const Schedule& schedule) {
  const Graph& graph = schedule.graph();
  const std::span<const Step> steps = schedule.steps();
  held_.assign(steps.size(), false);
  ValueMap<bool> needed(graph.values().size());
  const auto node_of = [&](const Step& step) -> const Node& { return graph.node(step.node); };
  // The frame moves, and what the loop of a transducer feeds back: only the values whose frames are read stay.
  const bool has_frames =
      std::ranges::any_of(steps, [&](const Step& step) { return is_frame_boundary(node_of(step)); });
  for (size_t i = steps.size(); i-- > 0;) {
    const Node& node = node_of(steps[i]);
    const auto is_needed = [&](ValueId value) { return bool(needed[value]); };
    held_[i] = (!has_frames && is_file_boundary(node)) || std::ranges::any_of(present(steps[i].outputs), is_needed);
    for (const ValueId value : held_[i] ? reads_of(steps[i]) : std::vector<ValueId>()) needed[value] = true;
    if (!is_frame_boundary(node)) continue;
    needed[*node.inputs[0]] = true;
    if (node.inputs.size() > 2) needed[*node.inputs[2]] = true;
  }
  for (size_t i = 0; i < graph.inputs().size(); ++i)
    if (needed[graph.inputs()[i]]) inputs_.push_back(i);
}

void HeldSteps::find_of_shapes(const Schedule& schedule) {
  const Graph& graph = schedule.graph();
  ValueMap<FixedParts> parts(graph.values().size());
  for (const ValueId input : graph.inputs()) parts[input].shape = true;
  for (const Value& value : graph.values())
    if (schedule.constant(value.id)) parts[value.id] = {true, true};
  for (const Node& node : graph.nodes())
    for (const ValueId output : present(node.outputs))
      if (!parts[output].elements) parts[output] = fixed_by(graph, node, parts);
  for (const Step& step : schedule.steps())
    held_.push_back(std::ranges::all_of(present(step.outputs), [&](ValueId value) { return parts[value].elements; }));
  if (std::ranges::find(held_, true) == held_.end()) return held_.clear();
  of_shapes_ = true;
  for (size_t i = 0; i < graph.inputs().size(); ++i) inputs_.push_back(i);
}

bool HeldSteps::begin(std::span<const Tensor> inputs, ValueMap<Tensor>& values) {
  if (empty()) return false;
  bool same = read_.size() == inputs_.size() && !kept_.empty();
  for (size_t i = 0; same && i < inputs_.size(); ++i) {
    const Tensor& now = inputs[inputs_[i]];
    same = of_shapes_ ? same_form(read_[i], now) : same_tensor(read_[i], now);
  }
  if (!same) {
    read_.clear(), kept_.clear();
    bytes_ = 0;
  }
  for (const auto& [value, tensor] : kept_) values[value] = tensor;
  return same;
}

void HeldSteps::keep(const Step& step, const ValueMap<Tensor>& values) {
  const size_t most = of_shapes_ ? kMostOfShapes : kMostInFront;
  if (bytes_ > most) return;
  for (const ValueId output : present(step.outputs)) {
    if (!is_read_[output]) continue;
    kept_.emplace_back(output, values[output]);
    bytes_ += values[output].empty_handle() ? 0 : values[output].byte_count();
  }
  if (bytes_ > most) kept_.clear();
}

void HeldSteps::end(std::span<const Tensor> inputs) {
  if (kept_.empty()) return;
  for (const size_t input : inputs_) {
    const Tensor& given = inputs[input];
    // Of the others only the form: the memory of a sample is used again.
    read_.push_back(of_shapes_ ? Tensor::view(given.type(), given.shape(), nullptr) : given);
  }
}

}  // namespace detent
