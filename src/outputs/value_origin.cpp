#include "outputs/value_origin.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/float_type.h"
#include "core/index.h"
#include "detections/columns.h"
#include "ops/traits.h"

namespace detent {

namespace {

constexpr int kDeepest = 60;  // nodes on a way back

bool is_one_of(std::string_view op_type, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, op_type) != names.end();
}

bool is_softmax(const Node& node) { return is_one_of(node.op_type, {"Softmax", "LogSoftmax"}); }

int64_t rank_of(const Shape& shape) { return std::ssize(shape.dims()); }

/// Returns the axis from the front.
int64_t front_axis(const Node& node, int64_t otherwise, const Shape& shape) {
  const int64_t axis = node.int_or("axis", otherwise);
  return axis < 0 ? axis + rank_of(shape) : axis;
}

class OriginTrace {
 public:
  OriginTrace(const Graph& graph, const ValueShapes& shapes)
      : graph_(graph), shapes_(shapes), columns_(graph, shapes) {}

  ValueOrigin find(ValueId output) {
    ValueOrigin found;
    const Shape* shape = shape_of(output);
    if (!shape) return found;
    ValueId value = output;
    const Node* node = skip_movement(value);
    if (columns_.index_source(output)) return {.step = LastStep::Indices, .op = columns_.index_source(output)->op_type};
    if (node) name_step(*node, found);
    if (found.step == LastStep::Softmax || found.step == LastStep::UnitLength || found.step == LastStep::Normalized)
      found.axis = axis_in(output, value, step_axis(*node, *shape_of(value)));
    std::optional<int64_t> from_weights;
    for (int64_t axis = rank_of(*shape) - 1; axis >= 0 && !from_weights; --axis)
      if ((*shape)[as_index(axis)] > 1 && weights_give(output, axis)) from_weights = axis;
    if (!found.axis) found.axis = from_weights;
    found.from_weights = found.axis && found.axis == from_weights;
    if (found.step == LastStep::Other && found.from_weights) found.step = LastStep::Layer;
    find_choice(output, found);
    found.weights_cancel = node && found.from_weights && weights_cancel(*node);
    return found;
  }

 private:
  [[nodiscard]] const Shape* shape_of(MaybeValue value) const { return find_shape(shapes_, value); }

  /// True for operators whose first input holds the numbers of the output.
  [[nodiscard]] bool moves(const Node& node) const {
    const OpKind kind = traits_of(graph_, node).kind;
    return kind == OpKind::Reshape || kind == OpKind::Transpose ||
           is_one_of(node.op_type, {"Identity", "Cast", "Clip", "Gather", "GatherElements", "GatherND", "Slice",
                                    "Split", "Concat", "Dropout", "QuantizeLinear", "DequantizeLinear"});
  }

  /// Follows `value` to the first operator that computes; nullptr: an input.
  const Node* skip_movement(ValueId& value) const {
    for (int depth = 0; depth < kDeepest; ++depth) {
      const Node* node = graph_.producer(value);
      if (!node || !moves(*node) || !node->input(0)) return node;
      value = *node->input(0);
    }
    return nullptr;
  }

  [[nodiscard]] bool is_constant(MaybeValue value, int depth = 0) const {
    if (!value || depth > 6) return false;
    if (graph_.value(*value).is_constant) return true;
    const Node* node = graph_.producer(*value);
    return node &&
           std::ranges::all_of(present(node->inputs), [&](ValueId input) { return is_constant(input, depth + 1); });
  }

  /// Returns the first computed input of an operator with constants; the node itself where it has none.
  const Node* behind_constants(const Node& node) const {
    const Node* at = &node;
    for (int depth = 0; depth < 6; ++depth) {
      if (!is_one_of(at->op_type, {"Mul", "Add"}) || at->inputs.size() != 2) return at;
      const bool left = is_constant(at->input(0)), right = is_constant(at->input(1));
      if (left == right) return at;
      ValueId value = *at->input(left ? 1 : 0);
      const Node* before = skip_movement(value);
      if (!before) return at;
      at = before;
    }
    return at;
  }

  /// Returns the reduction that a divisor comes from, and whether a square root stands behind it.
  [[nodiscard]] std::pair<const Node*, bool> divisor_of(MaybeValue value) const {
    bool root = false;
    for (int depth = 0; value && depth < 10; ++depth) {
      const Node* node = graph_.producer(*value);
      if (!node) break;
      if (is_one_of(node->op_type, {"ReduceL2", "ReduceMean", "ReduceSum", "ReduceSumSquare"}))
        return {node, root || node->op_type == "ReduceL2"};
      root = root || node->op_type == "Sqrt" || node->op_type == "Pow";
      const bool first = !node->input(1) || !is_constant(node->input(0));
      value = node->input(first ? 0 : 1);
    }
    return {nullptr, false};
  }

  void name_step(const Node& last, ValueOrigin& found) const {
    const Node& node = *behind_constants(last);
    const std::string_view op = node.op_type;
    found.op = op;
    if (is_softmax(node))
      found.step = LastStep::Softmax;
    else if (is_one_of(op, {"Sigmoid", "HardSigmoid"}))
      found.step = LastStep::Sigmoid;
    else if (op == "Tanh")
      found.step = LastStep::Tanh;
    else if (op == "LpNormalization")
      found.step = LastStep::UnitLength;
    else if (is_one_of(op, {"LayerNormalization", "SimplifiedLayerNormalization", "SkipLayerNormalization",
                            "RMSNormalization"}))
      found.step = LastStep::Normalized;
    else if (is_one_of(op, {"GlobalAveragePool", "GlobalMaxPool", "ReduceMean", "ReduceMax"}))
      found.step = LastStep::Pooled;
    else if (op == "Div")
      name_division(node, found);
    else if (is_one_of(op, {"Conv", "Gemm", "MatMul", "ConvTranspose"}))
      found.step = LastStep::Layer;
    else if (op == "Add" && !is_constant(node.input(0)) && !is_constant(node.input(1)))
      found.step = LastStep::Sum;
  }

  void name_division(const Node& node, ValueOrigin& found) const {
    const auto [reduction, root] = divisor_of(node.input(1));
    if (!reduction) return;
    if (root)
      found.step = reduction->op_type == "ReduceMean" ? LastStep::Normalized : LastStep::UnitLength;
    else if (const Node* above = graph_.producer(node.input(0)); above && above->op_type == "ReduceSum")
      found.step = LastStep::Pooled, found.op = "mean";
  }

  /// Returns the axis, of its output, that a Softmax or normalization works along.
  [[nodiscard]] int64_t step_axis(const Node& last, const Shape& shape) const {
    const Node& node = *behind_constants(last);
    if (node.op_type != "Div") {
      const int64_t otherwise = is_softmax(node) && graph_.opset() < 13 ? 1 : -1;
      int64_t axis = front_axis(node, otherwise, shape);
      // Before opset 13 a Softmax takes all axes from this one on together.
      while (graph_.opset() < 13 && is_softmax(node) && axis + 1 < rank_of(shape) && shape[as_index(axis)] == 1) ++axis;
      return axis;
    }
    const auto [reduction, root] = divisor_of(node.input(1));
    std::vector<int64_t> axes = reduction->ints_or("axes", {});
    if (const Tensor* given = graph_.constant(reduction->input(1)); axes.empty() && given) {
      const Tensor wide = cast(*given, DataType::Int64);
      axes.assign(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
    }
    const int64_t axis = axes.empty() ? -1 : axes.back();
    return axis < 0 ? axis + rank_of(shape) : axis;
  }

  /// Returns the axis of `output` whose elements lie along `axis` of `source`, from which only movement leads to it.
  std::optional<int64_t> axis_in(ValueId output, ValueId source, int64_t axis) const {
    for (int64_t a = 0; a < rank_of(*shape_of(output)); ++a) {
      ValueId value = output;
      std::optional<int64_t> at = a;
      while (at && value != source) {
        const Node& node = *graph_.producer(value);
        at = axis_before(node, value, *at);
        value = *node.input(0);
        if (!shape_of(value)) return std::nullopt;
      }
      if (at == axis) return a;
    }
    return std::nullopt;
  }

  /// Returns the axis of a moving node's first input whose elements, or groups of elements, lie along `axis`.
  std::optional<int64_t> axis_before(const Node& node, ValueId value, int64_t axis) const {
    const Shape *before = shape_of(node.input(0)), *after = shape_of(value);
    if (!before || !after) return std::nullopt;
    const OpKind kind = traits_of(graph_, node).kind;
    if (kind == OpKind::Reshape || kind == OpKind::Transpose || kind == OpKind::Gather || kind == OpKind::GatherND) {
      if (*before == *after && kind != OpKind::Transpose) return axis;
      if (const auto source = columns_.source_axis(node, value, axis)) return source;
      return kind == OpKind::Reshape ? split_axis(*before, *after, axis) : std::nullopt;
    }
    if (node.op_type == "Concat" && front_axis(node, 0, *before) == axis) return std::nullopt;
    return axis;
  }

  /// Returns the axis of which `axis` is the inner part.
  static std::optional<int64_t> split_axis(const Shape& before, const Shape& after, int64_t axis) {
    const int64_t inner = after.element_count(as_index(axis + 1), after.rank());
    for (int64_t a = rank_of(before) - 1; a >= 0; --a)
      if (before.element_count(as_index(a + 1), before.rank()) == inner && before[as_index(a)] > 1 &&
          before[as_index(a)] % after[as_index(axis)] == 0)
        return a;
    return std::nullopt;
  }

  /// True where the extent of an axis is that of a layer's weights.
  bool weights_give(ValueId value, int64_t axis) const {
    for (int depth = 0; depth < kDeepest; ++depth) {
      const Node* node = graph_.producer(value);
      const Shape* shape = shape_of(value);
      if (!node || !shape) return false;
      const std::string_view op = node->op_type;
      if (is_one_of(op, {"Conv", "ConvTranspose", "ConvInteger"})) return axis == 1 && is_constant(node->input(1));
      if (is_one_of(op, {"Gemm", "MatMul"})) return axis == rank_of(*shape) - 1 && is_constant(node->input(1));
      if (op == "Einsum" || is_recurrent(*node)) return false;
      const MaybeValue before = data_input(*node, *shape);
      const Shape* source = shape_of(before);
      if (!source) return false;
      std::optional<int64_t> at = axis;
      if (moves(*node))
        at = axis_before(*node, value, axis);
      else if (source->rank() > shape->rank())
        at = axis_of_reduced(*node, *source, axis);
      if (!at || *at >= rank_of(*source)) return false;
      if (!moves(*node) && (*source)[as_index(*at)] != (*shape)[as_index(axis)]) return false;
      value = *before, axis = *at;
    }
    return false;
  }

  /// True where the power of the sums of a layer's weights over its outputs is far below that of independent ones.
  [[nodiscard]] bool weights_cancel(const Node& node) const {
    constexpr double kOfIndependent = 0.05;  // measured: 0.000 of two trained classifiers, 0.3 and more of others
    constexpr int64_t kFewestInputs = 16;
    const Tensor* stored = graph_.constant(node.input(1));
    if (!stored || stored->shape().rank() < 2 || !is_one_of(node.op_type, {"Conv", "Gemm", "MatMul"})) return false;
    const Shape& shape = stored->shape();
    const bool outputs_first = node.op_type == "Conv" || (node.op_type == "Gemm" && node.int_or("transB", 0) != 0);
    const int64_t outputs = outputs_first ? shape[0] : shape[shape.rank() - 1];
    const int64_t inputs = shape.element_count() / std::max<int64_t>(1, outputs);
    if (outputs < 2 || inputs < kFewestInputs || !is_floating_point(stored->type())) return false;
    const Tensor weights = to_plain(cast(*stored, DataType::Float32));
    const auto w = weights.data<float>();
    double sums = 0, squares = 0;
    for (int64_t k = 0; k < inputs; ++k) {
      double sum = 0;
      for (int64_t c = 0; c < outputs; ++c) {
        const double one = w[as_index(outputs_first ? c * inputs + k : k * outputs + c)];
        sum += one, squares += one * one;
      }
      sums += sum * sum;
    }
    return squares > 0 && sums < kOfIndependent * squares;
  }

  /// Returns the input whose elements an operator changes one by one, or reduces.
  [[nodiscard]] MaybeValue data_input(const Node& node, const Shape& shape) const {
    for (const ValueId input : present(node.inputs))
      if (const Shape* own = shape_of(input); own && !is_constant(input) && *own == shape) return input;
    for (const ValueId input : present(node.inputs))
      if (!is_constant(input)) return input;
    return {};
  }

  /// Returns the axis of a reduction's input that stays as `axis`.
  std::optional<int64_t> axis_of_reduced(const Node& node, const Shape& source, int64_t axis) const {
    std::vector<int64_t> axes = node.ints_or("axes", {});
    if (const Tensor* given = graph_.constant(node.input(1));
        axes.empty() && given && !is_floating_point(given->type())) {
      const Tensor wide = cast(*given, DataType::Int64);
      axes.assign(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
    }
    for (int64_t& one : axes)
      if (one < 0) one += rank_of(source);
    for (int64_t a = 0, kept = 0; a < rank_of(source); ++a) {
      if (std::ranges::count(axes, a) > 0) continue;
      if (kept++ == axis) return a;
    }
    return std::nullopt;
  }

  /// Finds a Softmax, ArgMax or TopK of few that reads the numbers of the output, before or behind its movement.
  void find_choice(ValueId output, ValueOrigin& found) const {
    ValueId value = output;
    for (int depth = 0; depth < kDeepest; ++depth) {
      const Shape* shape = shape_of(value);
      if (!shape) return;
      for (const Use& use : graph_.value(value).uses) {
        const Node& node = graph_.node(use.node);
        if (use.slot != 0 || !(is_softmax(node) || is_one_of(node.op_type, {"ArgMax", "TopK"}))) continue;
        const int64_t otherwise = node.op_type == "ArgMax"                         ? 0
                                  : node.op_type == "TopK" || graph_.opset() >= 13 ? -1
                                                                                   : 1;
        const auto axis = axis_in(output, value, front_axis(node, otherwise, *shape));
        if (!axis || (found.axis && axis != found.axis)) continue;
        found.axis = axis, found.chosen_by = node.op_type;
        return;
      }
      const Node* node = graph_.producer(value);
      if (!node || !moves(*node) || !node->input(0)) return;
      value = *node->input(0);
    }
  }

  const Graph& graph_;
  const ValueShapes& shapes_;
  ColumnTrace columns_;
};

}  // namespace

ValueOrigin find_origin(const Graph& graph, const ValueShapes& shapes, ValueId value) {
  return OriginTrace(graph, shapes).find(value);
}

}  // namespace detent
