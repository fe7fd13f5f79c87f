#include "lint/reading/qdq_node.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/onnx_type.h"
#include "ops/clip_bounds.h"
#include "ops/traits.h"

namespace detent {
namespace {

DataType type_of(const Graph& graph, MaybeValue value) {
  if (!value) return DataType::Undefined;
  if (const Tensor* tensor = readable_constant(graph, value)) return tensor->type();
  return graph.value(*value).declared_type.value_or(DataType::Undefined);
}

// Returns the type of the integers that a node writes or reads; Undefined when the file does not name it there.
DataType said_codes(const Graph& graph, const Node& node) {
  if (const DataType type = type_of(graph, node.input(2)); type != DataType::Undefined) return type;
  if (const int64_t number = node.int_or("output_dtype", 0); number != 0) return data_type_from_onnx(number);
  return DataType::Undefined;
}

DataType codes_of(const Graph& graph, const Node& node) {
  if (const DataType said = said_codes(graph, node); said != DataType::Undefined) return said;
  if (traits_of(graph, node).kind == OpKind::QuantizeLinear) return DataType::UInt8;
  if (const DataType type = type_of(graph, node.input(0)); type != DataType::Undefined) return type;
  const Node* source = graph.producer(node.input(0));
  const bool quantizes = source && traits_of(graph, *source).kind == OpKind::QuantizeLinear;
  const DataType codes = quantizes ? said_codes(graph, *source) : DataType::Undefined;
  return codes == DataType::Undefined ? DataType::UInt8 : codes;
}

constexpr std::array kClippedTypes{DataType::Int8,   DataType::UInt8, DataType::Int16,
                                   DataType::UInt16, DataType::Int4,  DataType::UInt4};

bool all_zero(const std::vector<int64_t>& points) {
  return std::ranges::all_of(points, [](int64_t point) { return point == 0; });
}

/// True for a node between QuantizeLinear and DequantizeLinear that leaves every code where it is or moves it.
bool passes_codes(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  return keeps_elements(traits) || traits.kind == OpKind::Cast || clips_codes(graph, node);
}

/// Returns the next node from a QuantizeLinear on to its DequantizeLinear, or from that back; nullptr where there is
/// more than one.
const Node* next_of_codes(const Graph& graph, const Node& node, bool on) {
  if (!on) return graph.producer(node.input(0));
  if (!node.output(0)) return nullptr;
  const Value& codes = graph.value(*node.output(0));
  const bool one = codes.uses.size() == 1 && codes.uses.front().slot == 0;
  return one ? &graph.node(codes.uses.front().node) : nullptr;
}

/// Returns the codes between the bounds of all Clips on the way between the halves of a pair; nullopt for all codes.
std::optional<CodeRange> clipped_codes(const Graph& graph, const Node& node, const QdqNode& said) {
  if (std::ranges::find(kClippedTypes, said.codes) == kClippedTypes.end()) return std::nullopt;
  const CodeRange all = code_range(said.codes);
  CodeRange left = all;
  for (const Node* at = next_of_codes(graph, node, said.quantizes); at && passes_codes(graph, *at);
       at = next_of_codes(graph, *at, said.quantizes)) {
    if (!clips_codes(graph, *at)) continue;
    const ClipBounds bounds = *clip_bounds(graph, *at);
    if (bounds.low() > static_cast<float>(left.lowest)) left.lowest = static_cast<int32_t>(std::ceil(bounds.low()));
    if (bounds.high() < static_cast<float>(left.highest))
      left.highest = static_cast<int32_t>(std::floor(bounds.high()));
    if (left.lowest >= left.highest) return std::nullopt;
  }
  return left.lowest > all.lowest || left.highest < all.highest ? std::optional(left) : std::nullopt;
}

}  // namespace

bool same_grid(const QdqNode& a, const QdqNode& b) {
  const bool points = a.zero_points == b.zero_points || (all_zero(a.zero_points) && all_zero(b.zero_points));
  return a.scale_constant && b.scale_constant && a.scales == b.scales && points && a.codes == b.codes;
}

bool clips_codes(const Graph& graph, const Node& node) {
  return traits_of(graph, node).kind == OpKind::Clip && clip_bounds(graph, node);
}

bool is_qdq(const Graph& graph, const Node& node) {
  const OpKind kind = traits_of(graph, node).kind;
  return kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear;
}

const Tensor* readable_constant(const Graph& graph, MaybeValue value) {
  try {
    return graph.constant(value);
  } catch (const Error&) {
    return nullptr;
  }
}

QdqNode describe_qdq(const Graph& graph, const Node& node) {
  QdqNode said;
  said.name = node.name;
  said.quantizes = traits_of(graph, node).kind == OpKind::QuantizeLinear;
  said.codes = codes_of(graph, node);
  said.scale_type = type_of(graph, node.input(1));
  if (const Tensor* scale = readable_constant(graph, node.input(1))) {
    if (scale->element_count() == 0)
      throw Error(ErrorCode::InvalidModel,
                  "node '" + node.name + "' (" + node.op_type + "): its scale holds no number");
    said.scale_constant = true;
    said.scalar = scale->shape().rank() == 0;
    const Tensor wide = cast(*scale, DataType::Float32);
    said.scales.assign(wide.data<float>().begin(), wide.data<float>().end());
  }
  said.has_zero_point = bool(node.input(2));
  if (const Tensor* zero_point = readable_constant(graph, node.input(2))) {
    said.scalar = said.scalar && zero_point->shape().rank() == 0;
    const Tensor wide = cast(*zero_point, DataType::Int64);
    said.zero_points.assign(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
  }
  said.clipped = clipped_codes(graph, node, said);
  said.block = node.int_or("block_size", 0);
  if (node.has("axis")) said.axis = node.int_or("axis", 1);
  if (const Tensor* data = readable_constant(graph, node.input(0))) {
    said.int8_constant = !said.quantizes;
    said.extents.assign(data->shape().begin(), data->shape().end());
  }
  for (const ValueId output : present(node.outputs)) {
    const Value& value = graph.value(output);
    said.writes_graph_output = said.writes_graph_output || value.is_output;
    said.readers += value.uses.size();
    for (const Use& use : value.uses) {
      const OpKind reader = traits_of(graph, graph.node(use.node)).kind;
      said.dequantizers += reader == OpKind::DequantizeLinear;
      said.shape_readers += reader == OpKind::ShapeOf;
    }
  }
  return said;
}

}  // namespace detent
