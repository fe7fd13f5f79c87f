#include "prepare/cancel_transposes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

#include "core/index.h"
#include "model/name_source.h"
#include "ops/traits.h"
#include "prepare/plain_nodes.h"

namespace detent {

namespace {

/// A Transpose's perm: axis i of its output is axis order[i] of its input.
using AxisOrder = std::vector<int64_t>;

AxisOrder inverse_of(const AxisOrder& order) {
  AxisOrder inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[as_index(order[i])] = as_extent(i);
  return inverse;
}

/// Returns a Transpose's perm; empty for other nodes, and where perm is left out or moves nothing.
AxisOrder order_of(const Graph& graph, const Node& node) {
  if (!node.domain.empty() || traits_of(graph, node).kind != OpKind::Transpose || !node.input(0) || !node.output(0))
    return {};
  AxisOrder order = node.ints_or("perm", {});
  AxisOrder sorted = order;
  std::ranges::sort(sorted);
  for (size_t i = 0; i < sorted.size(); ++i)
    if (sorted[i] != as_extent(i)) return {};
  return order == sorted ? AxisOrder() : order;
}

/// Returns the constant, with leading axes of extent 1 up to the order's rank, in the layout in front of the Transpose.
Tensor in_front(const Tensor& constant, const AxisOrder& order) {
  const size_t rank = order.size(), added = rank - constant.shape().rank();
  std::vector<int64_t> extents(rank, 1), strides(rank, 0);
  for (size_t i = added; i < rank; ++i) {
    extents[i] = constant.shape()[i - added];
    strides[i] = constant.shape().element_count(i - added + 1, rank - added);
  }
  const AxisOrder back = inverse_of(order);
  Shape shape;
  for (const int64_t axis : back) shape.push_back(extents[as_index(axis)]);
  Tensor result(constant.type(), shape);
  const size_t bytes = byte_size(constant.type());
  const auto* in = static_cast<const std::byte*>(constant.raw());
  auto* out = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t element = 0; element < result.element_count(); ++element) {
    int64_t place = 0, rest = element;
    for (size_t i = rank; i-- > 0; rest /= shape[i]) place += rest % shape[i] * strides[as_index(back[i])];
    std::copy_n(in + as_index(place) * bytes, bytes, out + as_index(element) * bytes);
  }
  return result;
}

/// True for nodes whose output element needs the elements at its place alone.
bool works_by_element(const OpTraits& traits, const Node& node) {
  if (node.op_type == "Hardmax" || node.op_type == "SwiGLU") return false;  // along an axis
  return is_activation(traits.kind) || is_arithmetic(traits.kind) || traits.kind == OpKind::Gelu ||
         traits.kind == OpKind::PRelu || traits.kind == OpKind::Cast || node.op_type == "Identity";
}

/// How many leading inputs of such a node broadcast with each other; the bounds of a Clip do not.
size_t operand_count(const OpTraits& traits, const Node& node) {
  return is_activation(traits.kind) || traits.kind == OpKind::Cast ? 1 : node.inputs.size();
}

/// A reduction over constant axes.
struct ReducedAxes {
  std::vector<int64_t> axes;
  bool from_input = false;
  bool keeps = true;  ///< as axes of extent 1
};

std::optional<ReducedAxes> reduced_axes(const Graph& graph, const Node& node, size_t rank) {
  if (!node.op_type.starts_with("Reduce") || !node.output(0)) return std::nullopt;
  ReducedAxes reduced{node.ints_or("axes", {}), false, node.int_or("keepdims", 1) != 0};
  if (node.input(1)) {
    const Tensor* axes = graph.constant(node.input(1));
    if (!axes || axes->type() != DataType::Int64) return std::nullopt;
    reduced.axes.assign(axes->data<int64_t>().begin(), axes->data<int64_t>().end());
    reduced.from_input = true;
  }
  for (int64_t& axis : reduced.axes) {
    if (axis < 0) axis += as_extent(rank);
    if (axis < 0 || axis >= as_extent(rank)) return std::nullopt;
  }
  if (reduced.axes.empty()) return std::nullopt;
  return reduced;
}

/// True when the axes that remain stand in their order in front of the Transpose, too.
bool keeps_remaining_order(const ReducedAxes& reduced, const AxisOrder& order) {
  int64_t last = -1;
  for (size_t i = 0; i < order.size(); ++i) {
    if (std::ranges::find(reduced.axes, as_extent(i)) != reduced.axes.end()) continue;
    if (order[i] < last) return false;
    last = order[i];
  }
  return true;
}

class TransposeCanceller {
 public:
  explicit TransposeCanceller(const Graph& graph)
      : graph_(graph), names_(graph), roles_(graph.nodes().size(), Role::Stays), orders_(graph.values().size()),
        names_in_front_(graph.values().size()), regions_(graph.values().size()), gains_(graph.values().size()) {
    patch_.reason = "cancel Transposes";
  }

  [[nodiscard]] GraphPatch run() {
    for (const Node& node : graph_.nodes()) find_role(node);
    for (const Node& node : graph_.nodes() | std::views::reverse) leave_out_end(node);
    find_regions();
    if (std::ranges::any_of(gains_, [](int gain) { return gain > 0; }))
      for (const Node& node : graph_.nodes()) rewrite(node);
    return std::move(patch_);
  }

 private:
  enum class Role : uint8_t {
    Stays,
    Opens,   ///< a Transpose: its input is its output in the layout in front
    Moves,   ///< reads and writes the layout in front
    Closes,  ///< a Transpose back, whose output is the layout in front; a reduction to which the layout is all the same
  };

  [[nodiscard]] bool is_moved(MaybeValue value) const { return value && !orders_[*value].empty(); }
  Role& role(const Node& node) { return roles_[node.id]; }

  /// True for a value whose name must stay: other nodes are told of another name, graphs are not.
  [[nodiscard]] bool is_fixed(const Value& value) const {
    return value.is_output || std::ranges::any_of(value.uses, [](const Use& use) { return use.slot < 0; });
  }

  void find_role(const Node& node) {
    if (!node.domain.empty() || !node.input(0) || !node.output(0)) return;
    const MaybeValue input = node.input(0);
    if (const AxisOrder order = order_of(graph_, node); !order.empty()) {
      const bool back = is_moved(input) && orders_[*input] == inverse_of(order);
      if (back && closes(node)) role(node) = Role::Closes;
      if (back || graph_.value(*input).is_constant) return;
      role(node) = Role::Opens;
      orders_[*node.output(0)] = order;
    } else if (const AxisOrder common = common_order(node); !common.empty()) {
      const auto reduced = reduced_axes(graph_, node, common.size());
      if (reduced && !reduced->keeps) {
        if (keeps_remaining_order(*reduced, common)) role(node) = Role::Closes;
      } else if (reduced || node.op_type == "Concat" || works_by_element(traits_of(graph_, node), node)) {
        role(node) = Role::Moves;
        orders_[*node.output(0)] = common;
      }
    }
  }

  /// True when the values that a Transpose back writes can be the value in front. One that must keep its name gives it
  /// to that value.
  bool closes(const Node& node) {
    const Value& written = graph_.value(*node.output(0));
    const Node* producer = graph_.producer(node.input(0));
    std::string& name = names_in_front_[*node.input(0)];
    const bool named = producer && role(*producer) == Role::Moves && (name.empty() || !fixed_name(name));
    if (is_fixed(written) && !named) return false;
    if (named && (name.empty() || is_fixed(written))) name = written.name;
    return true;
  }

  [[nodiscard]] bool fixed_name(const std::string& name) const {
    return is_fixed(graph_.value(*graph_.find_value(name)));
  }

  /// Returns the order that all inputs of a node have that is about elements and is not constant; empty where there is
  /// none, and where a constant adds axes.
  AxisOrder common_order(const Node& node) {
    const OpTraits& traits = traits_of(graph_, node);
    const bool joins = node.op_type == "Concat";
    if (node.outputs.size() != 1) return {};
    const size_t operands = joins || works_by_element(traits, node) ? operand_count(traits, node) : 1;
    AxisOrder order;
    for (const MaybeValue input : std::span(node.inputs).first(operands)) {
      if (!input) return {};
      if (graph_.value(*input).is_constant) continue;
      if (!is_moved(input) || (!order.empty() && order != orders_[*input])) return {};
      order = orders_[*input];
    }
    if (order.empty()) return {};
    for (const MaybeValue input : std::span(node.inputs).first(operands)) {
      const Tensor* constant = graph_.constant(input);
      if (!constant) continue;
      const size_t rank = constant->shape().rank();
      if (rank > order.size() || (joins && rank != order.size())) return {};
    }
    return order;
  }

  [[nodiscard]] bool moves_along(const Use& use) const {
    if (use.slot < 0) return false;
    const Role reader = roles_[use.node];
    return reader == Role::Moves || (reader == Role::Closes && use.slot == 0);
  }

  /// True when something needs a moved value in its old layout.
  [[nodiscard]] bool is_needed(ValueId id) const {
    const Value& value = graph_.value(id);
    return value.is_output || !std::ranges::all_of(value.uses, [&](const Use& use) { return moves_along(use); });
  }

  [[nodiscard]] std::set<ValueId> moved_inputs(const Node& node) const {
    std::set<ValueId> moved;
    for (const ValueId input : present(node.inputs))
      if (is_moved(input)) moved.insert(input);
    return moved;
  }

  /// Leaves a node behind which nothing moves where it is, unless it joins values: one Transpose behind an Add of two
  /// is less than two in front.
  void leave_out_end(const Node& node) {
    if (role(node) != Role::Opens && role(node) != Role::Moves) return;
    const ValueId output = *node.output(0);
    if (std::ranges::any_of(graph_.value(output).uses, [&](const Use& use) { return moves_along(use); })) return;
    if (role(node) == Role::Moves) {
      const auto inputs = moved_inputs(node);
      const auto new_ones = std::ranges::count_if(inputs, [&](ValueId input) { return !is_needed(input); });
      if (new_ones > 1) return;
    }
    role(node) = Role::Stays;
    orders_[output].clear();
  }

  /// Returns the value that stands for all moved values that hang together with this one.
  ValueId region_of(ValueId value) {
    while (regions_[value]) value = *regions_[value];
    return value;
  }

  void find_regions() {
    for (const Node& node : graph_.nodes()) {
      if (role(node) != Role::Moves) continue;
      for (const ValueId input : moved_inputs(node))
        if (const ValueId other = region_of(input), own = region_of(*node.output(0)); other != own)
          regions_[other] = own;
    }
    for (const Node& node : graph_.nodes()) {
      if (role(node) == Role::Stays) continue;
      const ValueId value = role(node) == Role::Closes ? *node.input(0) : *node.output(0);
      int& gain = gains_[region_of(value)];
      if (role(node) == Role::Opens || is_transpose_back(node)) ++gain;
      if (role(node) != Role::Closes && is_needed(value)) --gain;
    }
  }

  [[nodiscard]] bool is_transpose_back(const Node& node) const {
    return roles_[node.id] == Role::Closes && !order_of(graph_, node).empty();
  }

  bool is_rewritten(const Node& node) {
    if (role(node) == Role::Stays) return false;
    return gains_[region_of(role(node) == Role::Closes ? *node.input(0) : *node.output(0))] > 0;
  }

  /// Returns the name under which the value is read in its own layout.
  [[nodiscard]] const std::string& name_of(ValueId value) const {
    const auto found = read_as_.find(value);
    return found == read_as_.end() ? graph_.value(value).name : found->second;
  }

  void rewrite(const Node& node) {
    const bool rewritten = is_rewritten(node);
    if (rewritten && role(node) == Role::Opens) names_in_front_[*node.output(0)] = name_of(*node.input(0));
    if (rewritten && (is_transpose_back(node) || (role(node) == Role::Opens && !is_needed(*node.output(0))))) {
      if (role(node) == Role::Closes) read_as_[*node.output(0)] = names_in_front_[*node.input(0)];
      patch_.remove_nodes.push_back(node.name);
      return;
    }
    const bool in_front = rewritten && role(node) != Role::Opens;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const MaybeValue input = node.inputs[slot];
      if (!input) continue;
      const std::string& name = in_front && is_moved(input) ? names_in_front_[*input] : name_of(*input);
      if (name != graph_.value(*input).name) patch_.rewire.push_back({node.name, static_cast<int>(slot), name});
    }
    if (!in_front) return;
    const AxisOrder& order = orders_[*moved_inputs(node).begin()];
    move_axes(node, order);
    if (role(node) == Role::Moves) rename_output(node, order);
  }

  void rename_output(const Node& node, const AxisOrder& order) {
    const Value& written = graph_.value(*node.output(0));
    std::string& name = names_in_front_[written.id];
    if (name.empty()) name = names_.fresh(written.name + "_in_front");
    patch_.rename_outputs.push_back({node.name, 0, name});
    if (is_needed(written.id))
      patch_.add_nodes.push_back(
          {"Transpose", names_.fresh(node.name + "_Transpose"), {name}, {written.name}, {{"perm", order}}, ""});
  }

  /// Gives the node its axes and constants in the layout in front.
  void move_axes(const Node& node, const AxisOrder& order) {
    if (const auto reduced = reduced_axes(graph_, node, order.size())) {
      std::vector<int64_t> axes;
      for (const int64_t axis : reduced->axes) axes.push_back(order[as_index(axis)]);
      std::ranges::sort(axes);
      if (!reduced->from_input) return patch_.set_attributes.push_back({node.name, {"axes", axes}});
      const std::string name = names_.fresh(node.name + "_axes");
      patch_.add_initializers.emplace_back(name, Tensor::from<int64_t>({as_extent(axes.size())}, axes));
      return patch_.rewire.push_back({node.name, 1, name});
    }
    const OpTraits& traits = traits_of(graph_, node);
    if (node.op_type == "Concat") {
      const int64_t axis = node.int_or("axis", 0), rank = as_extent(order.size());
      patch_.set_attributes.push_back({node.name, {"axis", order[as_index(axis < 0 ? axis + rank : axis)]}});
    }
    for (size_t slot = 0; slot < operand_count(traits, node); ++slot) move_constant(node, slot, order);
  }

  void move_constant(const Node& node, size_t slot, const AxisOrder& order) {
    const MaybeValue input = node.input(slot);
    const Tensor* constant = graph_.constant(input);
    const bool joins = node.op_type == "Concat";
    if (!constant || (constant->element_count() == 1 && !joins)) return;
    const auto [known, added] = constants_.try_emplace({*input, order});
    if (added) {
      known->second = names_.fresh(graph_.value(*input).name + "_in_front");
      patch_.add_initializers.emplace_back(known->second, in_front(*constant, order));
    }
    patch_.rewire.push_back({node.name, static_cast<int>(slot), known->second});
  }

  const Graph& graph_;
  NameSource names_;
  GraphPatch patch_;
  NodeMap<Role> roles_;
  ValueMap<AxisOrder> orders_;            // of values behind a Transpose that could be read in front of it
  ValueMap<std::string> names_in_front_;  // of such a value: the value in front
  ValueMap<MaybeValue> regions_;          // towards the value that stands for the region
  ValueMap<int> gains_;                   // of that value: how many Transposes go
  std::map<ValueId, std::string> read_as_;
  std::map<std::pair<ValueId, AxisOrder>, std::string> constants_;
};

}  // namespace

GraphPatch cancel_transposes(const Graph& graph) { return TransposeCanceller(graph).run(); }

size_t cancel_transposes(Model& model) {
  const GraphPatch first = cancel_transposes(model.graph());
  std::set<std::string> moved;
  for (const auto& renamed : first.rename_outputs) moved.insert(renamed.node);
  const bool shorter = !moved.empty() && forward_empty_casts(model, &moved) > 0;
  const GraphPatch patch = shorter ? cancel_transposes(model.graph()) : first;
  if (!patch.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size() - patch.add_nodes.size();
}

}  // namespace detent
