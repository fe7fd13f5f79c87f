#include <algorithm>
#include <array>
#include <cmath>

#include "model/name_source.h"
#include "ops/clip_bounds.h"
#include "ops/value_types.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

/// Writes a node as a row of operators of two operands. The last one keeps its name.
class PairWriter {
 public:
  PairWriter(const Graph& graph, const ValueMap<DataType>& types, NameSource& names, GraphPatch& patch)
      : graph_(graph), types_(types), names_(names), patch_(patch) {}

  [[nodiscard]] std::string input(const Node& node, int slot) const { return graph_.value(*node.input(slot)).name; }

  std::string number(const Node& node, const char* what, float number) {
    const std::string name = names_.fresh(node.name + "_" + what);
    patch_.add_initializers.emplace_back(name, cast(Tensor::scalar<float>(number), types_[*node.output(0)]));
    return name;
  }

  std::string add(const Node& node, const std::string& op, std::vector<std::string> operands) {
    const std::string output = names_.fresh(node.name + "_" + op);
    patch_.add_nodes.push_back({op, names_.fresh(output + "_node"), std::move(operands), {output}, {}, ""});
    return output;
  }

  void replace(const Node& node, const std::string& op, std::vector<std::string> operands) {
    patch_.remove_nodes.push_back(node.name);
    patch_.add_nodes.push_back({op, node.name, std::move(operands), {graph_.value(*node.output(0)).name}, {}, ""});
  }

 private:
  const Graph& graph_;
  const ValueMap<DataType>& types_;
  NameSource& names_;
  GraphPatch& patch_;
};

bool takes_several(const Node& node) {
  constexpr std::array kSeveral{"Sum", "Max", "Min", "Mean"};
  const size_t most = node.op_type == "Mean" ? 1 : 2;
  return node.domain.empty() && node.inputs.size() > most && node.output(0) &&
         std::ranges::find(kSeveral, node.op_type) != kSeveral.end();
}

}  // namespace

GraphPatch operands_in_pairs(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "take two operands at a time";
  if (std::ranges::none_of(graph.nodes(), takes_several)) return patch;
  NameSource names(graph);
  const ValueMap<DataType> types = value_types(graph);
  PairWriter writer(graph, types, names, patch);
  for (const Node& node : graph.nodes()) {
    if (!takes_several(node)) continue;
    const bool adds = node.op_type == "Sum" || node.op_type == "Mean", divides = node.op_type == "Mean";
    const std::string op = adds ? "Add" : node.op_type;
    const int count = static_cast<int>(node.inputs.size()), last = divides ? count : count - 1;
    std::string value = writer.input(node, 0);
    for (int slot = 1; slot < last; ++slot) value = writer.add(node, op, {value, writer.input(node, slot)});
    if (divides)
      writer.replace(node, "Mul", {value, writer.number(node, "share", 1.0F / static_cast<float>(count))});
    else
      writer.replace(node, op, {value, writer.input(node, last)});
  }
  return patch;
}

GraphPatch maximum_of_number(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "write the bounds of a Clip as Max and Min";
  const auto bounds_of = [&](const Node& node) {
    const auto bounds =
        node.op_type == "Clip" && node.domain.empty() && node.output(0) ? clip_bounds(graph, node) : std::nullopt;
    return bounds && bounds->low() > 0 && std::isfinite(bounds->low()) ? bounds : std::nullopt;
  };
  if (std::ranges::none_of(graph.nodes(), [&](const Node& node) { return bounds_of(node).has_value(); })) return patch;
  NameSource names(graph);
  const ValueMap<DataType> types = value_types(graph);
  PairWriter writer(graph, types, names, patch);
  for (const Node& node : graph.nodes()) {
    const std::optional<ClipBounds> bounds = bounds_of(node);
    if (!bounds) continue;
    const std::string x = writer.input(node, 0), low = writer.number(node, "low", bounds->low());
    if (std::isinf(bounds->high()))
      writer.replace(node, "Max", {x, low});
    else
      writer.replace(node, "Min", {writer.add(node, "Max", {x, low}), writer.number(node, "high", bounds->high())});
  }
  return patch;
}

}  // namespace detent::forms
