#include "prepare/fold_weights.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <vector>

#include "detent/base/error.h"
#include "exec/executor.h"
#include "model/graph_patch.h"
#include "model/name_source.h"
#include "ops/traits.h"
#include "prepare/fold_constants.h"

namespace detent {

namespace {

constexpr int kMostRounds = 16;  // copies in a row

const Tensor* readable_constant_of(const Graph& graph, MaybeValue value) {
  try {
    return graph.constant(value);
  } catch (const Error&) {
    return nullptr;
  }
}

/// A copy of a constant between or behind the halves of its pair.
struct Copy {
  const Node* node;
  std::vector<const Node*> halves;  ///< QuantizeLinear and DequantizeLinear in front of the copy
  const Node* first;                ///< reads the constant: one of these, or a Cast in front of them
  ValueId constant;
};

/// Finds the copies that move in one round: one for each pair.
class CopyFinder {
 public:
  explicit CopyFinder(const Graph& graph) : graph_(graph) {}

  [[nodiscard]] std::vector<Copy> run() const {
    std::vector<Copy> found;
    for (const Node& node : graph_.nodes())
      if (is_copy(node))
        if (auto copy = behind_halves(node)) found.push_back(std::move(*copy));
    return found;
  }

 private:
  [[nodiscard]] OpKind kind(const Node& node) const { return traits_of(graph_, node).kind; }

  /// True for a copy of all elements, which constants alone direct.
  [[nodiscard]] bool is_copy(const Node& node) const {
    const OpKind k = kind(node);
    if (!node.domain.empty() || (k != OpKind::Transpose && k != OpKind::Reshape) || node.outputs.size() != 1 ||
        !node.input(0))
      return false;
    return std::ranges::all_of(
        present(node.inputs), [&](ValueId input) { return input == node.input(0) || graph_.value(input).is_constant; });
  }

  /// Returns the copy with the halves of a constant's pair right in front of it; nullopt without.
  [[nodiscard]] std::optional<Copy> behind_halves(const Node& node) const {
    Copy copy{&node, {}, nullptr, {}};
    MaybeValue value = node.input(0);
    for (const Node* half = graph_.producer(value); half; half = graph_.producer(value)) {
      const OpKind k = kind(*half);
      const Value& written = graph_.value(*value);
      const bool pair = k == OpKind::QuantizeLinear || k == OpKind::DequantizeLinear;
      if (!(pair || k == OpKind::Clip || k == OpKind::Cast) || written.uses.size() != 1 || written.is_output ||
          half->has("block_size"))
        return std::nullopt;
      if (pair) copy.halves.push_back(half);
      copy.first = half;
      value = half->input(0);
    }
    const Tensor* constant = readable_constant_of(graph_, value);
    if (!constant || copy.halves.empty() || graph_.value(*node.output(0)).is_output) return std::nullopt;
    if (std::ranges::any_of(graph_.value(*node.output(0)).uses, [](const Use& use) { return use.slot < 0; }))
      return std::nullopt;
    copy.constant = *value;
    return copy;
  }

  const Graph& graph_;
};

int64_t product(const Shape& shape, size_t count) {
  return std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(count), int64_t{1},
                         std::multiplies<>());
}

/// Returns where an axis lies behind a copy; nullopt where the copy mixes it with others.
std::optional<int64_t> axis_behind(const Node& copy, const Shape& before, const Shape& after, size_t axis) {
  if (copy.op_type == "Transpose") {
    const std::vector<int64_t> perm = copy.ints_or("perm", {});
    if (perm.empty()) return static_cast<int64_t>(before.rank() - 1 - axis);
    const auto found = std::ranges::find(perm, static_cast<int64_t>(axis));
    return found == perm.end() ? std::nullopt : std::optional(found - perm.begin());
  }
  for (size_t i = 0; i < after.rank(); ++i)
    if (after[i] == before[axis] && product(after, i) == product(before, axis)) return static_cast<int64_t>(i);
  return std::nullopt;
}

/// Returns the axes of the halves' scales behind the copy; nullopt where one has none.
std::optional<std::vector<GraphPatch::SetAttribute>> new_axes(const Graph& graph, const Copy& copy,
                                                              const Shape& after) {
  std::vector<GraphPatch::SetAttribute> axes;
  const Shape& before = readable_constant_of(graph, copy.constant)->shape();
  for (const Node* half : copy.halves) {
    const Tensor* scale = readable_constant_of(graph, half->input(1));
    if (!scale) return std::nullopt;
    if (scale->element_count() == 1) continue;
    const int64_t given = half->int_or("axis", 1), rank = static_cast<int64_t>(before.rank());
    const int64_t axis = given < 0 ? given + rank : given;
    const auto moved =
        axis >= 0 && axis < rank ? axis_behind(*copy.node, before, after, static_cast<size_t>(axis)) : std::nullopt;
    if (!moved) return std::nullopt;
    axes.push_back({half->name, {"axis", *moved}});
  }
  return axes;
}

/// Adds the changes that move one copy in front of its halves.
void move(const Graph& graph, const Copy& copy, NameSource& names, GraphPatch& patch) {
  const Node& node = *copy.node;
  NodeSpec moved{node.op_type, node.name, {}, {names.fresh(graph.value(copy.constant).name + "_copy")}, {}, ""};
  for (const MaybeValue input : node.inputs) moved.inputs.push_back(input ? graph.value(*input).name : "");
  moved.inputs.front() = graph.value(copy.constant).name;
  moved.attributes = node.attributes;
  patch.remove_nodes.push_back(node.name);
  patch.rewire.push_back({copy.first->name, 0, moved.outputs.front()});
  for (const Use& use : graph.value(*node.output(0)).uses)
    patch.rewire.push_back({graph.node(use.node).name, use.slot, graph.value(*node.input(0)).name});
  patch.add_nodes.push_back(std::move(moved));
}

/// Moves one copy for each pair; returns false where there is none to move.
bool move_once(Model& model) {
  const Graph& graph = model.graph();
  const std::vector<Copy> copies = CopyFinder(graph).run();
  if (copies.empty()) return false;
  std::vector<ValueId> wanted;
  for (const Copy& copy : copies) wanted.push_back(*copy.node->output(0));
  const std::vector<Tensor> absent(graph.inputs().size());
  const std::vector<Tensor> results = run_once(graph, absent, wanted);
  GraphPatch patch;
  patch.reason = "move copies of weights in front of their pairs";
  NameSource names(graph);
  for (size_t i = 0; i < copies.size(); ++i) {
    auto axes = new_axes(graph, copies[i], results[i].shape());
    if (!axes) continue;
    patch.set_attributes.insert(patch.set_attributes.end(), axes->begin(), axes->end());
    move(graph, copies[i], names, patch);
  }
  if (patch.empty()) return false;
  apply_patch(model, patch);
  return true;
}

}  // namespace

size_t fold_weights(Model& model) {
  size_t removed = fold_constants(model);
  try {
    for (int round = 0; round < kMostRounds && move_once(model); ++round) removed += fold_constants(model);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Internal) throw;  // others tell of nodes that cannot be computed: they stay
  }
  return removed;
}

}  // namespace detent
