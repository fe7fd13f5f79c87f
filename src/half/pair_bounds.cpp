#include "half/pair_bounds.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

#include "core/float_type.h"
#include "detent/base/qparams.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "half/bound_of_node.h"
#include "ops/find_operator.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {

namespace {

constexpr double kLargestE4m3 = 448;

double largest_of(const Tensor& numbers) {
  double largest = 0;
  for (const float x : numbers.data<float>())
    if (std::isfinite(x)) largest = std::max(largest, std::abs(static_cast<double>(x)));
  return largest;
}

/// Returns the constant; nullptr also for one that no Tensor holds.
const Tensor* known(const Graph& graph, MaybeValue id) {
  try {
    return graph.constant(id);
  } catch (const Error&) {
    return nullptr;
  }
}

/// True for constants whose numbers enter a bound: floats, and integers that a Cast may turn into floats.
bool is_number(DataType type) { return is_floating_point(type) || type == DataType::Int64 || type == DataType::Int32; }

class PairBounds {
 public:
  PairBounds(const Graph& graph, const ValueShapes& shapes)
      : graph_(graph),
        types_(value_types(graph)), bounds_{graph, shapes, ValueMap<double>(graph.values().size(), kUnbounded),
                                            ValueMap<const Tensor*>(graph.values().size(), nullptr)} {}

  ValueReaches run() {
    for (const Value& value : graph_.values()) begin(value);
    for (const Node& node : graph_.nodes()) follow(node);
    ValueReaches reaches;
    const RunnablePart runnable(graph_);
    for (const Value& value : graph_.values()) {
      const DataType type = types_[value.id];
      const bool unknown = type == DataType::Undefined && !runnable.can_run(value.id);
      if (value.is_constant || (type != DataType::Float32 && !unknown)) continue;
      ValueReach& reach = reaches[value.id];
      reach.amax = reach.largest = reach.mean_abs = bounds_.amax[value.id];
      const auto shape = bounds_.shapes.find(value.id);
      if (shape != bounds_.shapes.end()) reach.elements = static_cast<uint64_t>(shape->second.element_count());
    }
    return reaches;
  }

 private:
  void begin(const Value& value) {
    const Tensor* constant = value.is_constant ? known(graph_, value.id) : nullptr;
    if (constant && is_number(constant->type()))
      keep(value.id, cast(to_plain(*constant), DataType::Float32));
    else if (value.is_input)
      bounds_.amax[value.id] = within_pairs(value, kUnbounded);
  }

  void keep(ValueId id, Tensor numbers) {
    tensors_.push_back(std::move(numbers));
    bounds_.weights[id] = &tensors_.back();
    bounds_.amax[id] = largest_of(tensors_.back());
  }

  void follow(const Node& node) {
    const OpKind kind = traits_of(graph_, node).kind;
    if (kind == OpKind::QuantizeLinear) return;
    if (kind == OpKind::DequantizeLinear && keep_dequantized(node)) return;
    const double bound = kind == OpKind::DequantizeLinear ? range_of(node) : bound_of_node(bounds_, node);
    for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
      const MaybeValue output = node.outputs[slot];
      if (!output || graph_.value(*output).is_constant) continue;
      const bool places = slot > 0 && !is_floating_point(types_[*output]);  // of TopK, MaxPool: no numbers of its input
      bounds_.amax[*output] = places ? kUnbounded : within_pairs(graph_.value(*output), bound);
    }
  }

  /// Returns the bound, or the widest range of its readers if that is less and all of them are QuantizeLinear. Any
  /// other reader, and a graph output, gets the number itself.
  [[nodiscard]] double within_pairs(const Value& value, double bound) const {
    if (value.is_output || value.uses.empty()) return bound;
    double widest = 0;
    for (const Use& use : value.uses) {
      const bool quantizes = use.slot == 0 && traits_of(graph_, graph_.node(use.node)).kind == OpKind::QuantizeLinear;
      widest = std::max(widest, quantizes ? range_of(graph_.node(use.node)) : kUnbounded);
    }
    return std::min(bound, widest);
  }

  /// Returns the largest |x| that the codes of a pair stand for; infinite when its scale is computed.
  [[nodiscard]] double range_of(const Node& node) const {
    const Tensor* scale = known(graph_, node.input(1));
    if (!scale) return kUnbounded;
    const bool quantizes = traits_of(graph_, node).kind == OpKind::QuantizeLinear;
    const DataType codes = types_[quantizes ? *node.output(0) : *node.input(0)];
    return largest_of(cast(to_plain(*scale), DataType::Float32)) * span_of(codes, node);
  }

  /// Returns the largest |code - zero point|; infinite for codes of a type that has no range here.
  [[nodiscard]] double span_of(DataType codes, const Node& node) const {
    if (codes == DataType::Float8E4M3FN) return kLargestE4m3;
    try {
      const CodeRange range = code_range(codes);
      double span = 0;
      const Tensor* zero = known(graph_, node.input(2));
      const Tensor zeros = zero ? cast(to_plain(*zero), DataType::Float32) : Tensor::from<float>({}, {0.0F});
      for (const float z : zeros.data<float>())
        span = std::max(
            {span, std::abs(static_cast<double>(range.lowest) - z), std::abs(static_cast<double>(range.highest) - z)});
      return span;
    } catch (const Error&) {
      return kUnbounded;
    }
  }

  /// Computes the numbers of constant codes. Returns false when the codes are no constant or cannot be computed.
  bool keep_dequantized(const Node& node) {
    const auto is_constant = [&](ValueId id) { return known(graph_, id) != nullptr; };
    if (!std::ranges::all_of(present(node.inputs), is_constant)) return false;
    try {
      std::vector<Tensor> inputs, outputs(1);
      for (const MaybeValue id : node.inputs) inputs.push_back(id ? *graph_.constant(id) : Tensor());
      const int64_t opset = graph_.opset(node.domain);
      Workspace workspace;
      KernelCall call(inputs, outputs, {}, Allocator::heap(), workspace);
      find_operator(node.domain, node.op_type, opset)->make({.graph = graph_, .node = node, .opset = opset})->run(call);
      keep(*node.output(0), cast(to_plain(outputs.front()), DataType::Float32));
      return true;
    } catch (const Error&) {
      return false;
    }
  }

  const Graph& graph_;
  ValueMap<DataType> types_;
  ValueBounds bounds_;
  std::deque<Tensor> tensors_;
};

}  // namespace

ValueReaches bound_reaches(const Graph& graph, const ValueShapes& shapes) { return PairBounds(graph, shapes).run(); }

ValueReaches with_unreached(const Graph& graph, ValueReaches reaches) {
  const RunnablePart runnable(graph);
  if (runnable.unsupported().empty()) return reaches;
  for (const auto& [value, bound] : bound_reaches(graph, {}))
    if (!runnable.can_run(value)) reaches.try_emplace(value, bound);
  return reaches;
}

}  // namespace detent
