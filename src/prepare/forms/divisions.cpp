#include <algorithm>

#include "core/float_type.h"
#include "model/name_source.h"
#include "ops/value_types.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

std::string name_of(const Graph& graph, MaybeValue value) { return graph.value(*value).name; }

bool is_plain(const Node& node, std::string_view op) {
  return node.op_type == op && node.domain.empty() && static_cast<bool>(node.output(0));
}

/// Returns the slot of the constant of a node of two operands; -1 when there is none or two.
int constant_slot(const Graph& graph, const Node& node) {
  if (node.inputs.size() != 2 || !node.input(0) || !node.input(1)) return -1;
  const bool first = graph.constant(node.input(0)) != nullptr, second = graph.constant(node.input(1)) != nullptr;
  return first == second ? -1 : first ? 0 : 1;
}

}  // namespace

GraphPatch division_of_one(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write Reciprocal as a division";
  NameSource names(graph);
  const auto is_reciprocal = [](const Node& node) { return is_plain(node, "Reciprocal") && node.input(0); };
  if (std::ranges::none_of(graph.nodes(), is_reciprocal)) return patch;
  const ValueMap<DataType> types = value_types(graph);
  for (const Node& node : graph.nodes()) {
    if (!is_reciprocal(node)) continue;
    const std::string one = names.fresh(node.name + "_one");
    patch.add_initializers.emplace_back(one, cast(Tensor::scalar<float>(1), types[*node.input(0)]));
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back(
        {"Div", node.name, {one, name_of(graph, node.input(0))}, {name_of(graph, node.output(0))}, {}, ""});
  }
  return patch;
}

GraphPatch difference_of_number(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "subtract a number instead of adding it";
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    const int slot = is_plain(node, "Add") ? constant_slot(graph, node) : -1;
    const Tensor* number = slot < 0 ? nullptr : graph.constant(node.input(slot));
    if (!number || number->element_count() != 1 || (number->type() != DataType::Float32 && !is_half(number->type())))
      continue;
    Tensor opposite = cast(*number, DataType::Float32).clone();
    for (float& x : opposite.mutable_data<float>()) x = -x;
    const std::string added = names.fresh(name_of(graph, node.input(slot)) + "_opposite");
    patch.add_initializers.emplace_back(added, cast(opposite, number->type()));
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back(
        {"Sub", node.name, {name_of(graph, node.input(1 - slot)), added}, {name_of(graph, node.output(0))}, {}, ""});
  }
  return patch;
}

GraphPatch remainder_by_division(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write Mod as a difference";
  NameSource names(graph);
  const auto is_mod = [](const Node& node) {
    return is_plain(node, "Mod") && node.input(0) && node.input(1) && node.int_or("fmod", 0) == 0;
  };
  if (std::ranges::none_of(graph.nodes(), is_mod)) return patch;
  for (const Node& node : graph.nodes()) {
    const Tensor* divisor = is_mod(node) ? graph.constant(node.input(1)) : nullptr;
    if (!divisor || (divisor->type() != DataType::Int32 && divisor->type() != DataType::Int64)) continue;
    const Tensor wide = cast(*divisor, DataType::Int64);
    if (std::ranges::any_of(wide.data<int64_t>(), [](int64_t n) { return n <= 0; })) continue;
    const std::string n = name_of(graph, node.input(1));
    const auto add = [&](const char* op, const char* what, std::vector<std::string> inputs) {
      const std::string output = names.fresh(node.name + what);
      patch.add_nodes.push_back({op, names.fresh(output + "_" + op), std::move(inputs), {output}, {}, ""});
      return output;
    };
    const auto multiple = [&](const std::string& x) {
      return add("Mul", "_multiple", {add("Div", "_quotient", {x, n}), n});
    };
    const std::string x = name_of(graph, node.input(0));
    const std::string above = add("Add", "_above", {add("Sub", "_rest", {x, multiple(x)}), n});
    const std::string last = multiple(above);
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back({"Sub", node.name, {above, last}, {name_of(graph, node.output(0))}, {}, ""});
  }
  return patch;
}

GraphPatch sum_of_products(const Graph& graph) {
  constexpr int64_t kAxesInput = 18;  // ReduceSumSquare-18
  GraphPatch patch;
  patch.reason = "write ReduceSumSquare as a sum of products";
  NameSource names(graph);
  for (const Node& node : graph.nodes()) {
    if (!is_plain(node, "ReduceSumSquare") || !node.input(0)) continue;
    const std::string x = name_of(graph, node.input(0)), square = names.fresh(node.name + "_square");
    NodeSpec sum{"ReduceSum", node.name, {square}, {name_of(graph, node.output(0))}, {}, ""};
    for (const Attribute& attribute : node.attributes)
      if (attribute.name != "axes") sum.attributes.push_back(attribute);
    if (graph.opset() >= kAxesInput) {
      if (node.input(1)) sum.inputs.push_back(name_of(graph, node.input(1)));
    } else if (std::vector<int64_t> axes = node.ints_or("axes", {}); !axes.empty()) {
      sum.inputs.push_back(names.fresh(node.name + "_axes"));
      patch.add_initializers.emplace_back(sum.inputs.back(),
                                          Tensor::from<int64_t>({std::ssize(axes)}, std::move(axes)));
    }
    patch.remove_nodes.push_back(node.name);
    patch.add_nodes.push_back({"Mul", names.fresh(square + "_Mul"), {x, x}, {square}, {}, ""});
    patch.add_nodes.push_back(std::move(sum));
  }
  return patch;
}

}  // namespace detent::forms
