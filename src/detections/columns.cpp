#include "detections/columns.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>

#include "core/float_type.h"
#include "core/index.h"
#include "ops/traits.h"

namespace detent {

namespace {

constexpr int kDeepest = 200;  // values on a way back; heads of detectors have about 30

bool is_one_of(std::string_view op_type, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, op_type) != names.end();
}

std::vector<int64_t> integers(const Graph& graph, const Node& node, std::string_view attribute, int slot) {
  if (node.has(attribute)) return node.ints_or(attribute, {});
  const Tensor* tensor = graph.constant(node.input(slot));
  if (!tensor || (tensor->type() != DataType::Int64 && tensor->type() != DataType::Int32)) return {};
  const Tensor wide = cast(*tensor, DataType::Int64);
  const auto all = wide.data<int64_t>();
  return {all.begin(), all.end()};
}

int64_t from_front(int64_t axis, const Shape& shape) { return axis < 0 ? axis + std::ssize(shape.dims()) : axis; }

/// Returns the axis of `before` whose elements are those of `axis` of `after`, of the same elements in another shape.
std::optional<int64_t> axis_of_same_elements(const Shape& before, const Shape& after, int64_t axis) {
  const int64_t outer = after.element_count(0, as_index(axis));
  for (int64_t a = 0; a < std::ssize(before.dims()); ++a)
    if (before[as_index(a)] == after[as_index(axis)] && before.element_count(0, as_index(a)) == outer) return a;
  return std::nullopt;
}

/// Returns the columns [first, first + count).
std::vector<Columns> cut(const std::vector<Columns>& columns, int64_t first, int64_t count) {
  std::vector<Columns> part;
  int64_t at = 0;
  for (const Columns& one : columns) {
    const int64_t low = std::max(at, first), high = std::min(at + one.count, first + count);
    if (high > low) part.push_back({one.meaning, high - low, one.source});
    at += one.count;
  }
  return part;
}

bool is_pair_half(const Node& node) { return is_one_of(node.op_type, {"QuantizeLinear", "DequantizeLinear"}); }

bool are_scores(const std::vector<Columns>& columns) {
  return !columns.empty() && std::ranges::all_of(columns, [](Columns one) { return one.meaning == Meaning::Scores; });
}

}  // namespace

const Shape* ColumnTrace::shape_of(MaybeValue value) const { return find_shape(shapes_, value); }

std::vector<Columns> ColumnTrace::along(MaybeValue value, int64_t axis) {
  const Shape* shape = shape_of(value);
  if (!shape || axis < 0 || axis >= std::ssize(shape->dims())) return {};
  const std::pair key{*value, axis};
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  const Node* node = graph_.producer(value);
  List found{{Meaning::Other, (*shape)[as_index(axis)], node ? MaybeNode(node->id) : kNoNode}};
  if (node && node->domain.empty() && depth_ < kDeepest) {
    ++depth_;
    if (List known = find(*node, *value, axis); !known.empty()) found = std::move(known);
    --depth_;
  }
  return known_[key] = std::move(found);
}

std::vector<Columns> ColumnTrace::uniform(MaybeValue value, int64_t count) {
  const Shape* shape = shape_of(value);
  if (!shape) return {};
  std::optional<Columns> only;
  // Across the axis of a Concat nothing is known; along it the pieces differ, or all numbers have one meaning.
  for (int64_t axis = 0; axis < std::ssize(shape->dims()); ++axis)
    for (const Columns& one : along(value, axis)) {
      if (one.meaning == Meaning::Other) continue;
      if (only && only->meaning != one.meaning) return {};
      only = one;
    }
  return only ? List{{only->meaning, count, only->source}} : List();
}

std::vector<Columns> ColumnTrace::find(const Node& node, ValueId value, int64_t axis) {
  const Shape& shape = *shape_of(value);
  const int64_t count = shape[as_index(axis)];
  const auto all = [&](Meaning meaning) { return List{{meaning, count, node.id}}; };
  const std::string_view op = node.op_type;
  if (is_one_of(op, {"Sigmoid", "Softmax", "LogSoftmax", "HardSigmoid"})) return all(Meaning::Scores);
  if (is_one_of(op, {"Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization"})) return all(Meaning::Raw);
  if (is_one_of(op, {"Exp", "Pow"})) return all(Meaning::Coordinates);
  if (op == "TopK" && value == node.output(1)) return all(Meaning::Labels);
  if (op == "Cast" && index_source(node.input(0))) return all(Meaning::Labels);
  if (is_one_of(op, {"TopK", "ReduceMax"})) return uniform(node.input(0), count);
  if (is_one_of(op, {"Add", "Sub", "Mul", "Div"})) return computed(node, value, axis);
  if (op == "Concat") return joined(node, axis);
  if (is_one_of(op, {"Split", "Slice"})) return part_of(node, value, axis);
  if (is_one_of(op, {"Clip", "Cast", "Relu", "Identity", "QuantizeLinear", "DequantizeLinear"}))
    return along(node.input(0), axis);
  return moved(node, value, axis);
}

std::vector<Columns> ColumnTrace::moved(const Node& node, ValueId value, int64_t axis) {
  const OpKind kind = traits_of(graph_, node).kind;
  const MaybeValue input = node.input(0);
  const Shape* before = shape_of(input);
  const bool moves = kind == OpKind::Reshape || kind == OpKind::Transpose || kind == OpKind::Gather ||
                     (kind == OpKind::GatherND && shape_of(node.input(1)));
  if (!before || !moves) return {};
  const int64_t count = (*shape_of(value))[as_index(axis)];
  const auto source = source_axis(node, value, axis);
  return !source || (*before)[as_index(*source)] != count ? uniform(input, count) : along(input, *source);
}

std::optional<int64_t> ColumnTrace::source_axis(const Node& node, ValueId value, int64_t axis) const {
  const Shape *before = shape_of(node.input(0)), *after = shape_of(value);
  if (!before || !after) return std::nullopt;
  std::optional<int64_t> source;
  switch (traits_of(graph_, node).kind) {
    case OpKind::Reshape: source = axis_of_same_elements(*before, *after, axis); break;
    case OpKind::Transpose: {
      std::vector<int64_t> order = node.ints_or("perm", {});
      if (order.empty()) {
        order.resize(before->rank());
        std::iota(order.rbegin(), order.rend(), 0);
      }
      source = order[as_index(axis)];
      break;
    }
    case OpKind::Gather: {
      const int64_t gathered = from_front(node.int_or("axis", 0), *before);
      if (node.op_type == "GatherElements") {
        if (axis != gathered) source = axis;
        break;
      }
      const Shape* indices = shape_of(node.input(1));
      const int64_t rank =
          indices ? std::ssize(indices->dims()) : std::ssize(after->dims()) - std::ssize(before->dims()) + 1;
      if (axis < gathered) source = axis;
      if (axis >= gathered + rank) source = axis - rank + 1;
      break;
    }
    case OpKind::GatherND: {
      const Shape* indices = shape_of(node.input(1));
      const int64_t rank = indices ? std::ssize(indices->dims()) : std::ssize(after->dims()) + 1;
      if (axis >= rank - 1) source = axis - (rank - 1) + node.int_or("batch_dims", 0) + (*indices)[indices->rank() - 1];
      break;
    }
    default: break;
  }
  return source && *source < std::ssize(before->dims()) ? source : std::nullopt;
}

std::vector<Columns> ColumnTrace::joined(const Node& node, int64_t axis) {
  const Shape* first = shape_of(node.input(0));
  if (!first) return {};
  const bool side_by_side = from_front(node.int_or("axis", 0), *first) == axis;
  List all;
  for (const ValueId input : present(node.inputs)) {
    const List one = along(input, axis);
    if (one.empty()) return {};
    if (side_by_side) {
      all.insert(all.end(), one.begin(), one.end());
      continue;
    }
    const auto alike = [](const Columns& a, const Columns& b) { return a.meaning == b.meaning && a.count == b.count; };
    if (!all.empty() && !std::ranges::equal(all, one, alike)) return {};
    all = one;
  }
  return all;
}

std::vector<Columns> ColumnTrace::part_of(const Node& node, ValueId value, int64_t axis) {
  const Shape *before = shape_of(node.input(0)), *after = shape_of(value);
  if (!before) return {};
  const List whole = along(node.input(0), axis);
  const int64_t count = (*after)[as_index(axis)];
  if ((*before)[as_index(axis)] == count) return whole;
  if (node.op_type == "Split") {
    int64_t first = 0;
    for (const ValueId output : present(node.outputs)) {
      if (output == value) return cut(whole, first, count);
      const Shape* other = shape_of(output);
      if (!other) return {};
      first += (*other)[as_index(axis)];
    }
    return {};
  }
  const std::vector<int64_t> starts = integers(graph_, node, "starts", 1), steps = integers(graph_, node, "steps", 4);
  std::vector<int64_t> axes = integers(graph_, node, "axes", 3);
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  for (size_t i = 0; i < std::min(axes.size(), starts.size()); ++i) {
    if (from_front(axes[i], *before) != axis) continue;
    if (i < steps.size() && steps[i] != 1) break;
    return cut(whole, starts[i] < 0 ? starts[i] + (*before)[as_index(axis)] : starts[i], count);
  }
  return uniform(node.input(0), count);
}

std::vector<Columns> ColumnTrace::computed(const Node& node, ValueId value, int64_t axis) {
  const int64_t count = (*shape_of(value))[as_index(axis)];
  const List decoded{{Meaning::Coordinates, count, node.id}};
  const Tensor *left = constant_behind_codes(node.input(0)), *right = constant_behind_codes(node.input(1));
  if (!left && !right) {
    const List a = along(node.input(0), axis), b = along(node.input(1), axis);
    if (node.op_type != "Mul" || !are_scores(a) || !are_scores(b)) return decoded;
    return List{{Meaning::Scores, count, a.front().source}};  // objectness by class
  }
  const MaybeValue varying = node.input(left ? 1 : 0);
  const Shape* shape = shape_of(varying);
  if (!shape || *shape != *shape_of(value)) return decoded;
  const bool is_bias = (node.op_type == "Add") && (left ? left : right)->shape().rank() <= 1;
  const bool is_factor = node.op_type == "Mul" || node.op_type == "Div";
  List columns = along(varying, axis);
  for (Columns& one : columns) {
    if (one.meaning == Meaning::Raw && is_bias) continue;
    if (one.meaning == Meaning::Scores && is_factor && (left ? left : right)->element_count() == 1) continue;
    one = {Meaning::Coordinates, one.count, node.id};
  }
  return columns;
}

const Tensor* ColumnTrace::constant_behind_codes(MaybeValue value) const {
  for (const Node* node = graph_.producer(value); node && is_pair_half(*node); node = graph_.producer(value))
    value = node->input(0);
  return graph_.constant(value);
}

const Node* ColumnTrace::index_source(MaybeValue value, int depth) const {
  const Node* node = depth > 12 ? nullptr : graph_.producer(value);
  if (!node) return nullptr;
  if (node->op_type == "TopK") return value == node->output(1) ? node : nullptr;
  if (is_one_of(node->op_type, {"ArgMax", "NonMaxSuppression"})) return node;
  if (!is_one_of(node->op_type, {"Mod", "Div", "Sub", "Mul", "Add", "Where", "Floor", "Cast", "Reshape", "Unsqueeze",
                                 "Squeeze", "Gather", "GatherElements", "GatherND", "Slice", "Flatten", "Expand"}))
    return nullptr;
  for (const ValueId input : present(node->inputs))
    if (const Node* source = index_source(input, depth + 1)) return source;
  return nullptr;
}

}  // namespace detent
