#include "detections/free_rows.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/index.h"
#include "detections/columns.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// The TopK that orders the rows of a value.
struct RowOrder {
  NodeId top_k{};
  bool gathered = false;  ///< false: its own values or indices
};

/// Follows the rows of an output back to the TopK that selects them.
class RowTrace {
 public:
  RowTrace(const Graph& graph, const ValueShapes& shapes) : graph_(graph), columns_(graph, shapes) {}

  [[nodiscard]] const Shape* shape_of(MaybeValue value) const { return columns_.shape_of(value); }

  [[nodiscard]] std::optional<RowOrder> order_of(MaybeValue wanted, int64_t axis, int depth = 0) const {
    constexpr int kMostNodes = 30;
    const Node* node = depth > kMostNodes ? nullptr : graph_.producer(wanted);
    const Shape* shape = node ? shape_of(wanted) : nullptr;
    if (!shape || !node->domain.empty()) return std::nullopt;
    const ValueId value = *wanted;
    const auto next = [&](MaybeValue input, int64_t at) { return order_of(input, at, depth + 1); };
    if (node->op_type == "TopK")
      return from_front(*node, -1, *shape) == axis ? std::optional(RowOrder{node->id}) : std::nullopt;
    if (const Node* top_k = selecting(*node, value, axis)) return RowOrder{top_k->id, true};
    if (const auto source = columns_.source_axis(*node, value, axis)) return next(node->input(0), *source);
    if (!keeps_rows(*node, *shape, axis)) return std::nullopt;
    std::optional<RowOrder> all;
    for (const ValueId input : present(node->inputs)) {
      const auto aligned = aligned_axis(input, *shape, axis);
      if (!aligned) continue;
      const auto one = next(input, *aligned);
      if (!one || (all && all->top_k != one->top_k)) return std::nullopt;
      all = RowOrder{one->top_k, one->gathered || (all && all->gathered)};
    }
    return all;
  }

 private:
  static int64_t from_front(const Node& node, int64_t usual, const Shape& shape) {
    const int64_t axis = node.int_or("axis", usual);
    return axis < 0 ? axis + std::ssize(shape.dims()) : axis;
  }

  /// Returns the TopK whose indices select the elements along this axis of a gathered value; nullptr otherwise.
  [[nodiscard]] const Node* selecting(const Node& node, ValueId value, int64_t axis) const {
    const OpKind kind = traits_of(graph_, node).kind;
    if (kind != OpKind::Gather && kind != OpKind::GatherND) return nullptr;
    const Shape *before = shape_of(node.input(0)), *indices = shape_of(node.input(1)), *after = shape_of(value);
    if (!before || !indices) return nullptr;
    int64_t first = 0, count = std::ssize(indices->dims()) - 1;  // GatherND
    if (kind == OpKind::Gather) {
      first = from_front(node, 0, *before);
      count = node.op_type == "GatherElements" ? 1 : std::ssize(indices->dims());
    }
    const Node* top_k = axis >= first && axis < first + count ? columns_.index_source(node.input(1)) : nullptr;
    const Shape* chosen = top_k && top_k->op_type == "TopK" ? shape_of(top_k->output(1)) : nullptr;
    if (!chosen) return nullptr;
    return (*chosen)[as_index(from_front(*top_k, -1, *chosen))] == (*after)[as_index(axis)] ? top_k : nullptr;
  }

  /// True for arithmetic element by element, and for operators that join or cut another axis.
  [[nodiscard]] bool keeps_rows(const Node& node, const Shape& shape, int64_t axis) const {
    if (node.op_type == "Concat" || node.op_type == "Softmax") return from_front(node, -1, shape) != axis;
    if (node.op_type == "Split" || node.op_type == "Slice") {
      const Shape* before = shape_of(node.input(0));
      return before && (*before)[as_index(axis)] == shape[as_index(axis)];
    }
    const OpKind kind = traits_of(graph_, node).kind;
    return is_activation(kind) || is_arithmetic(kind) || kind == OpKind::Cast;
  }

  /// Returns the axis of an input that lies on `axis` of a result; nullopt for constants and where it repeats along it.
  [[nodiscard]] std::optional<int64_t> aligned_axis(ValueId input, const Shape& shape, int64_t axis) const {
    const Shape* own = graph_.constant(input) ? nullptr : shape_of(input);
    const int64_t at = own ? axis - std::ssize(shape.dims()) + std::ssize(own->dims()) : -1;
    return at >= 0 && (*own)[as_index(at)] == shape[as_index(axis)] ? std::optional(at) : std::nullopt;
  }

  const Graph& graph_;
  ColumnTrace columns_;
};

}  // namespace

std::vector<FreeRows> find_free_rows(const Graph& graph, const ValueShapes& shapes) {
  const RowTrace trace(graph, shapes);
  struct Found {
    FreeRows rows;
    bool gathered = false;
  };
  std::map<NodeId, Found> by_top_k;
  for (const ValueId output : graph.outputs()) {
    const Shape* shape = trace.shape_of(output);
    for (int64_t axis = 0; shape && axis < std::ssize(shape->dims()); ++axis) {
      const auto order = (*shape)[as_index(axis)] > 1 ? trace.order_of(output, axis) : std::nullopt;
      if (!order) continue;
      Found& found = by_top_k[order->top_k];
      found.rows.outputs.push_back({graph.value(output).name, axis});
      found.gathered = found.gathered || order->gathered;
      break;
    }
  }
  std::vector<FreeRows> all;
  for (auto& [node, found] : by_top_k)
    if (found.gathered) all.push_back(std::move(found.rows));
  return all;
}

}  // namespace detent
