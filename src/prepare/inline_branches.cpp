#include "prepare/inline_branches.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/graph/node_names.h"
#include "prepare/is_random.h"
#include "prepare/used_names.h"

namespace detent {

namespace {

/// True when no element of a graph input affects the value; shapes may affect it.
bool depends_on_shapes_only(const Graph& graph, ValueId value) {
  std::vector<ValueId> open{value};
  ValueMap<bool> seen(graph.values().size(), false);
  while (!open.empty()) {
    const MaybeValue next = open.back();
    open.pop_back();
    if (!next || seen[*next] || graph.value(*next).is_constant) continue;
    seen[*next] = true;
    const Node* node = graph.producer(next);
    if (!node || is_random(*node)) return false;
    if (node->domain.empty() && (node->op_type == "Shape" || node->op_type == "Size")) continue;
    for (const ValueId input : present(node->inputs)) open.push_back(input);
    for (const ValueId captured : graph.captured_by(*node)) open.push_back(captured);
  }
  return true;
}

/// Returns zeros of the shapes that the model fixes; nullopt when one is open.
std::optional<std::vector<Tensor>> zeros_of_fixed_shapes(const Graph& graph) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.inputs()) {
    const Value& value = graph.value(id);
    if (!value.declared_shape || !value.declared_type || *value.declared_type == DataType::Sequence ||
        std::ranges::any_of(*value.declared_shape, [](int64_t extent) { return extent < 0; }))
      return std::nullopt;
    Tensor zeros(*value.declared_type, Shape(std::span<const int64_t>(*value.declared_shape)));
    std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
    inputs.push_back(std::move(zeros));
  }
  return inputs;
}

std::optional<bool> as_condition(const Tensor& tensor) {
  if (tensor.type() != DataType::Bool || tensor.element_count() != 1) return std::nullopt;
  return tensor.data<bool>()[0];
}

/// Returns the condition of an If when it is the same for all data.
std::optional<bool> known_condition(const Graph& graph, const Node& node) {
  if (node.op_type != "If" || !node.domain.empty() || !node.input(0)) return std::nullopt;
  const ValueId condition = *node.input(0);
  try {
    const ValueId wanted[] = {condition};
    const Schedule schedule(graph, wanted);
    if (const Tensor* constant = schedule.constant(condition)) return as_condition(*constant);
    if (!depends_on_shapes_only(graph, condition)) return std::nullopt;
    const auto zeros = zeros_of_fixed_shapes(graph);
    return zeros ? as_condition(run_once(graph, *zeros, wanted).front()) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;  // the error is reported where the value is needed
  }
}

/// A branch while its nodes are moved into the graph around it.
class Branch {
 public:
  Branch(onnx::GraphProto& branch, const onnx::NodeProto& node, std::string prefix)
      : branch_(branch), node_(node), prefix_(std::move(prefix)) {
    for (const onnx::TensorProto& tensor : branch.initializer()) renamed_[tensor.name()] = prefix_ + tensor.name();
    for (const onnx::NodeProto& inner : branch.node())
      for (const std::string& output : inner.output())
        if (!output.empty()) renamed_[output] = prefix_ + output;
    for (const onnx::NodeProto& inner : branch.node())
      for (const std::string& output : inner.output()) keep_name_of_output(output);
  }

  void move_into(onnx::GraphProto& graph, Nodes& target) {
    for (onnx::TensorProto& tensor : *branch_.mutable_initializer()) {
      tensor.set_name(mapped(tensor.name()));
      graph.add_initializer()->Swap(&tensor);
    }
    for (onnx::ValueInfoProto& info : *branch_.mutable_value_info()) {
      info.set_name(mapped(info.name()));
      if (!is_output(info.name())) graph.add_value_info()->Swap(&info);
    }
    for (onnx::NodeProto& inner : *branch_.mutable_node()) {
      if (!inner.name().empty()) inner.set_name(prefix_ + inner.name());
      adapt(inner);
      target.Add()->Swap(&inner);
    }
    copy_other_outputs(target);
  }

 private:
  /// Gives a value that the branch computes and returns the name of the If's output.
  void keep_name_of_output(const std::string& name) {
    for (int i = 0; i < branch_.output_size() && i < node_.output_size(); ++i) {
      if (name.empty() || branch_.output(i).name() != name || node_.output(i).empty()) continue;
      renamed_[name] = node_.output(i);
      return;
    }
  }

  [[nodiscard]] bool is_output(const std::string& name) const {
    return std::ranges::find(node_.output(), name) != node_.output().end();
  }

  [[nodiscard]] std::string mapped(const std::string& name) const {
    const auto known = renamed_.find(name);
    return known == renamed_.end() ? name : known->second;
  }

  /// Renames the values of the branch; names of outer values stay.
  void adapt(onnx::NodeProto& node) {
    for (std::string& name : *node.mutable_input()) name = mapped(name);
    for (std::string& name : *node.mutable_output()) name = mapped(name);
    for (onnx::AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.has_g()) adapt(*attribute.mutable_g());
  }

  void adapt(onnx::GraphProto& graph) {
    for (onnx::ValueInfoProto& output : *graph.mutable_output()) output.set_name(mapped(output.name()));
    for (onnx::NodeProto& node : *graph.mutable_node()) adapt(node);
  }

  /// Copies the outputs that the branch does not compute (constants and outer values) and values that it returns twice.
  void copy_other_outputs(Nodes& target) const {
    for (int i = 0; i < branch_.output_size() && i < node_.output_size(); ++i)
      copy_output(node_, i, mapped(branch_.output(i).name()), prefix_, target);
  }

  onnx::GraphProto& branch_;
  const onnx::NodeProto& node_;
  std::string prefix_;
  std::map<std::string, std::string> renamed_;
};

onnx::GraphProto* branch_of(onnx::NodeProto& node, bool condition) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute())
    if (attribute.name() == (condition ? "then_branch" : "else_branch") && attribute.has_g() &&
        attribute.g().sparse_initializer_size() == 0)
      return attribute.mutable_g();
  return nullptr;
}

/// Returns the conditions of the main graph's Ifs that are known, by name of the If.
std::map<std::string, bool> known_conditions(const Graph& graph) {
  std::map<std::string, bool> known;
  for (const Node& node : graph.nodes())
    if (const auto condition = known_condition(graph, node)) known[node.name] = *condition;
  return known;
}

}  // namespace

size_t inline_branches(Model& model) {
  size_t count = 0;
  while (true) {
    const std::map<std::string, bool> known = known_conditions(model.graph());
    if (known.empty()) return count;
    onnx::GraphProto& graph = *model.mutable_proto().mutable_graph();
    const std::vector<std::string> names = node_names(graph);
    UsedNames used(graph);
    Nodes expanded;
    size_t inlined = 0;
    for (int i = 0; i < graph.node_size(); ++i) {
      onnx::NodeProto& node = *graph.mutable_node(i);
      const std::string& name = names[static_cast<size_t>(i)];
      const auto condition = known.find(name);
      onnx::GraphProto* branch = condition == known.end() ? nullptr : branch_of(node, condition->second);
      if (!branch) {
        expanded.Add()->Swap(&node);
        continue;
      }
      Branch(*branch, node, used.unused_prefix(name)).move_into(graph, expanded);
      ++inlined;
    }
    graph.mutable_node()->Swap(&expanded);
    if (inlined == 0) return count;
    count += inlined;
  }
}

}  // namespace detent
