#include "lint/reading/qdq_tracer.h"

#include <algorithm>
#include <numeric>

#include "core/float_type.h"
#include "ops/clip_bounds.h"

namespace detent {
namespace {

bool is_integer(DataType type) {
  return !is_floating_point(type) && type != DataType::Bool && type != DataType::Undefined;
}

}  // namespace

QdqTracer::QdqTracer(const Graph& graph) : graph_(graph), index_(graph.nodes().size(), -1) {
  for (const Node& node : graph.nodes()) {
    if (!is_qdq(graph, node)) continue;
    index_[node.id] = static_cast<int>(nodes_.size());
    nodes_.push_back(describe_qdq(graph, node));
  }
}

bool QdqTracer::only_dequantized(ValueId codes) const {
  const auto known = only_dequantized_.find(codes);
  if (known != only_dequantized_.end()) return known->second;
  const Value& value = graph_.value(codes);
  const bool only = !value.is_output && std::ranges::all_of(value.uses, [&](const Use& use) {
    if (use.slot < 0) return false;
    const Node& reader = graph_.node(use.node);
    if (use.slot == 0 && kind(reader) == OpKind::DequantizeLinear) return true;
    const bool passes = joins(reader) || (use.slot == 0 && (copies(reader) || changes_codes(reader)));
    return passes &&
           std::ranges::all_of(present(reader.outputs), [&](ValueId output) { return only_dequantized(output); });
  });
  return only_dequantized_[codes] = only;
}

bool QdqTracer::casts_codes(const Node& node) const { return kind(node) == OpKind::Cast && is_integer(cast_to(node)); }

ValueId QdqTracer::before_changes(ValueId codes) const {
  while (const Node* node = producer(codes)) {
    if (!changes_codes(*node)) break;
    codes = *node->input(0);
  }
  return codes;
}

const Node* QdqTracer::top_of_codes(MaybeValue value) const {
  if (!value) return nullptr;
  const auto known = tops_.find(*value);
  if (known != tops_.end()) return known->second;
  return tops_[*value] = find_top(*value);
}

const Node* QdqTracer::find_top(ValueId value) const {
  const Node* node = producer(value);
  if (is(node, OpKind::QuantizeLinear)) return node;
  if (!node || !(copies(*node) || joins(*node) || changes_codes(*node))) return nullptr;
  const Node* top = top_of_codes(node->input(0));  // known by now: nodes are read in execution order
  if (!top || !std::ranges::all_of(present(node->outputs), [&](ValueId output) { return only_dequantized(output); }))
    return nullptr;
  if (kind(*node) == OpKind::Pad && !pads_with_zero_point(*node, *top)) return nullptr;
  if (kind(*node) == OpKind::Clip && !leaves_zero(*node, *top)) return nullptr;
  const auto alike = [&](ValueId input) {
    const Node* other = top_of_codes(input);
    return other && same_grid(pair(*other), pair(*top));
  };
  return !joins(*node) || std::ranges::all_of(present(node->inputs), alike) ? top : nullptr;
}

bool QdqTracer::leaves_zero(const Node& clip, const Node& top) const {
  const ClipBounds bounds = *clip_bounds(graph_, clip);
  const auto stays = [&](int64_t point) {
    return bounds.low() <= static_cast<float>(point) && static_cast<float>(point) <= bounds.high();
  };
  const std::vector<int64_t>& points = pair(top).zero_points;
  return points.empty() ? stays(0) : std::ranges::all_of(points, stays);
}

bool QdqTracer::pads_with_zero_point(const Node& pad, const Node& top) const {
  if (pad.string_or("mode", "constant") != "constant") return true;
  if (pad.has("value") || pair(top).zero_points.size() > 1) return false;  // a float attribute of opset 10 and below
  const int64_t point = pair(top).zero_points.empty() ? 0 : pair(top).zero_points.front();
  if (!pad.input(2)) return point == 0;
  const Tensor* code = constant(pad.input(2));
  return code && code->element_count() == 1 && cast(*code, DataType::Int64).data<int64_t>()[0] == point;
}

bool QdqTracer::is_whole(const Node& dequantize) const {
  return constant(transposed_from(*dequantize.input(0))) || top_of_codes(dequantize.input(0));
}

ValueId QdqTracer::transposed_from(ValueId value) const {
  while (is(producer(value), OpKind::Transpose)) value = *producer(value)->input(0);
  return value;
}

ValueId QdqTracer::climb_transposes(ValueId value, std::vector<size_t>& axes) const {
  std::vector<std::vector<int64_t>> climbed;
  for (; is(producer(value), OpKind::Transpose); value = *producer(value)->input(0))
    climbed.push_back(producer(value)->ints_or("perm", {}));
  if (climbed.empty()) return value;
  size_t rank = axes.size();
  if (const Tensor* tensor = constant(value)) rank = tensor->shape().rank();
  for (const auto& perm : climbed) rank = std::max(rank, perm.size());
  if (axes.empty()) {
    axes.resize(rank);
    std::iota(axes.begin(), axes.end(), size_t{0});
  }
  for (const auto& perm : climbed)
    for (size_t& axis : axes) axis = perm.size() == rank ? static_cast<size_t>(perm[axis]) : rank - 1 - axis;
  return value;
}

bool QdqTracer::has_cast(ValueId codes, const Node& top) const {
  const DataType type = pair(top).codes;
  for (const Node* node = producer(codes); node && kind(*node) != OpKind::QuantizeLinear;
       node = producer(node->input(0)))
    if (casts_codes(*node) && cast_to(*node) != type) return true;
  return false;
}

Trace QdqTracer::trace_codes(ValueId codes, CastInFront cast) const {
  Trace trace;
  std::vector<size_t> axes;
  const ValueId below = climb_transposes(codes, axes);
  if (const Tensor* tensor = constant(below); tensor && (axes.empty() || axes.size() == tensor->shape().rank()))
    return {.source = below, .constant = true, .axes = axes};
  const Node* top = top_of_codes(codes);
  if (!top) return {.source = codes};
  const ValueId written = before_changes(codes);
  const bool casts = has_cast(codes, *top);
  if (top != producer(written))
    return {.source = written, .quantize = index(*top), .cast = casts, .first = index(*top)};  // written by a copy
  ValueId input = *top->input(0);
  // Casts on both sides of a pair belong to it: an FP16 value with an FP32 scale.
  if (cast == CastInFront::OfPair && is(producer(input), OpKind::Cast)) input = *producer(input)->input(0);
  trace = trace_value(input);
  trace.constant = trace.constant || constant(trace.source);
  if (trace.first < 0) trace.first = index(*top);
  trace.quantize = index(*top);
  trace.dequantize = -1;
  trace.cast = casts;
  return trace;
}

const Trace& QdqTracer::trace_value(ValueId value) const {
  const auto known = traces_.find(value);
  return known != traces_.end() ? known->second : traces_.emplace(value, trace_anew(value)).first->second;
}

Trace QdqTracer::trace_anew(ValueId value) const {
  const Node* node = producer(value);
  DataType type = DataType::Undefined;
  // A Cast to integers or truth values is one of the model.
  if (is(node, OpKind::Cast) && is_floating_point(cast_to(*node)) &&
      is(producer(node->input(0)), OpKind::DequantizeLinear)) {
    type = cast_to(*node);
    node = producer(node->input(0));
  }
  if (!is(node, OpKind::DequantizeLinear)) return {.source = value};
  if (!is_whole(*node)) return {.source = value, .dequantize = index(*node)};
  Trace trace = trace_codes(*node->input(0), type != DataType::Undefined ? CastInFront::OfPair : CastInFront::OfModel);
  trace.dequantize = index(*node);
  const DataType scale = pair(*node).scale_type;
  trace.type = type != DataType::Undefined ? type : is_half(scale) ? scale : DataType::Float32;
  return trace;
}

}  // namespace detent
