#include "attention/scores_path.h"

#include <algorithm>
#include <array>

#include "ops/traits.h"

namespace detent {
namespace {

constexpr int kLongestPath = 12;  // casts, copies, scale, two masks, soft cap

bool varies(const Graph& graph, MaybeValue value) { return value && !graph.value(*value).is_constant; }

std::string named(const Node& node) { return node.op_type + " '" + node.name + "'"; }

/// True for a number that a graph computes from one extent of a shape, as exporters write sqrt(head size).
bool comes_from_one_extent(const Graph& graph, MaybeValue value) {
  constexpr int kMostSteps = 10;
  constexpr std::array kSteps{
      OpKind::Cast, OpKind::Sqrt, OpKind::Div, OpKind::Mul, OpKind::Pow, OpKind::Reshape, OpKind::OtherElementwise};
  for (int step = 0; step < kMostSteps; ++step) {
    const Node* node = graph.producer(value);
    if (!node) return false;
    const OpKind kind = traits_of(graph, *node).kind;
    if (kind == OpKind::Gather || kind == OpKind::Slice) {
      const Node* shape = graph.producer(node->input(0));
      const Tensor* index = graph.constant(node->input(1));
      return shape && shape->op_type == "Shape" && index && index->element_count() == 1;
    }
    if (std::ranges::find(kSteps, kind) == kSteps.end()) return false;
    value = varies(graph, node->input(0)) ? node->input(0) : node->input(1);
  }
  return false;
}

bool is_one_number(const Graph& graph, MaybeValue value, const ExtentsOf& extents_of) {
  if (!value) return false;
  if (const Tensor* constant = graph.constant(value)) return constant->element_count() == 1;
  if (const auto extents = extents_of(*value))
    if (std::ranges::all_of(*extents, [](int64_t extent) { return extent == 1; })) return true;
  return comes_from_one_extent(graph, value);
}

/// Follows one way up after the other; the first without an obstacle counts.
class Climber {
 public:
  Climber(const Graph& graph, const ExtentsOf& extents_of) : graph_(graph), extents_of_(extents_of) {}

  ScoresPath climb(MaybeValue value, int steps) const {
    const Node* node = steps > kLongestPath ? nullptr : graph_.producer(value);
    if (!node) return {};
    if (multiplies_two_activations(graph_, *node))
      return {.product = node->id, .nodes = {}, .scales = {}, .masks = {}, .obstacle = {}, .windows = {}};
    ScoresPath path = climb_behind(*node, steps + 1);
    if (path.product) path.nodes.push_back(node->id);
    return path;
  }

 private:
  ScoresPath climb_behind(const Node& node, int steps) const {
    switch (traits_of(graph_, node).kind) {
      case OpKind::Cast: return climb(node.input(0), steps);
      case OpKind::Reshape:
        if (node.op_type == "Identity" || node.op_type == "Dropout") return climb(node.input(0), steps);
        if (parts_batch(node)) return parted(node, steps);
        [[fallthrough]];
      case OpKind::Transpose:
      case OpKind::Clip:
      case OpKind::Tanh: return hindered(climb(node.input(0), steps), behind_product(node));
      case OpKind::Mul:
      case OpKind::Div: return scaled(node, steps);
      case OpKind::Add: return masked(node, {0, 1}, steps);
      case OpKind::Sub: return masked(node, {0}, steps);
      case OpKind::Where: return masked(node, {1, 2}, steps);
      default: return {};
    }
  }

  /// True for a Reshape that leaves heads, queries and keys as they are.
  bool parts_batch(const Node& node) const {
    constexpr size_t kKept = 3;
    if (!node.input(0) || !node.output(0)) return false;
    const auto from = extents_of_(*node.input(0)), to = extents_of_(*node.output(0));
    if (!from || !to || from->size() <= kKept || to->size() <= kKept) return false;
    const std::vector<int64_t> kept(from->end() - kKept, from->end());
    return std::ranges::none_of(kept, [](int64_t extent) { return extent < 0; }) &&
           std::equal(kept.begin(), kept.end(), to->end() - kKept);
  }

  ScoresPath parted(const Node& node, int steps) const {
    ScoresPath path = climb(node.input(0), steps);
    if (path.product && path.windows.empty()) path.windows = behind_product(node);
    return path;
  }

  static std::string behind_product(const Node& node) {
    return named(node) + " stands between the first product and Softmax";
  }

  static ScoresPath hindered(ScoresPath path, const std::string& obstacle) {
    if (path.obstacle.empty()) path.obstacle = obstacle;
    return path;
  }

  ScoresPath scaled(const Node& node, int steps) const {
    const bool divides = traits_of(graph_, node).kind == OpKind::Div;
    for (const size_t side : {0U, 1U}) {
      if (divides && side == 1) break;
      ScoresPath path = climb(node.input(side), steps);
      if (!path.product) continue;
      if (!is_one_number(graph_, node.input(1 - side), extents_of_))
        return hindered(std::move(path), named(node) + " multiplies the scores by more than one number");
      if (!path.masks.empty()) return hindered(std::move(path), named(node) + " scales the scores behind the mask");
      path.scales.push_back(node.id);
      return path;
    }
    return {};
  }

  /// sides  slots that may hold the scores; the other operands are masks
  ScoresPath masked(const Node& node, const std::vector<size_t>& sides, int steps) const {
    ScoresPath chosen;
    size_t from = 0;
    for (const size_t side : sides) {
      ScoresPath path = climb(node.input(side), steps);
      if (!path.product) continue;
      if (chosen.product) return hindered(std::move(chosen), named(node) + " joins the scores of two products");
      chosen = std::move(path);
      from = side;
    }
    if (!chosen.product) return chosen;
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      if (slot != from && node.input(slot)) chosen.masks.push_back(*node.input(slot));
    return chosen;
  }

  const Graph& graph_;
  const ExtentsOf& extents_of_;
};

}  // namespace

bool multiplies_two_activations(const Graph& graph, const Node& node) {
  const bool product =
      traits_of(graph, node).kind == OpKind::MatMul || (node.op_type == "Einsum" && node.domain.empty());
  return product && node.inputs.size() == 2 && varies(graph, node.inputs[0]) && varies(graph, node.inputs[1]);
}

ScoresPath path_of_scores(const Graph& graph, ValueId scores, const ExtentsOf& extents_of) {
  return Climber(graph, extents_of).climb(scores, 0);
}

}  // namespace detent
