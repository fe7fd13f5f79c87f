#include <algorithm>
#include <cmath>
#include <limits>

#include "place/flow.h"
#include "place/integer_flow.h"
#include "place/lint/int8_layers.h"

namespace detent {
namespace {

// Copies that ONNX Runtime moves a pair across: one pair makes them integer, before or behind.
bool moves_pairs(const PlacementDraft& draft, NodeId node) {
  switch (draft.kind(node)) {
    case OpKind::Reshape:
    case OpKind::Transpose:
    case OpKind::Slice:
    case OpKind::MaxPool: return commutes(draft, node);
    default: return false;
  }
}

// The pair that the layer's data comes in: its own, one in front of such copies, or for a Conv one in front of its Pad.
const QuantizedOperand* input_pair(const LintView& view, NodeId layer) {
  const PlacementDraft& found = view.found();
  NodeId node = layer;
  int slot = view.data_slot(layer);
  while (true) {
    if (const QuantizedOperand* pair = view.operand(node, slot)) return pair;
    const Node* producer = view.graph().producer(view.graph().node(node).inputs[static_cast<size_t>(slot)]);
    if (!producer) return nullptr;
    const bool pads = found.kind(layer) == OpKind::Conv && node == layer && found.kind(producer->id) == OpKind::Pad &&
                      commutes(found, producer->id);
    if (!pads && !moves_pairs(found, producer->id)) return nullptr;
    node = producer->id;
    slot = found.data_slots(node).front();
  }
}

int64_t zero_point(const QdqNode& node) { return node.zero_points.empty() ? 0 : node.zero_points.front(); }

// Real values of the lowest and the highest code.
Range range_of(const QdqNode& node) {
  const CodeRange codes = code_range(node.codes);
  const auto real = [&](int32_t code) {
    return static_cast<float>(static_cast<double>(code - zero_point(node)) * static_cast<double>(node.scales.at(0)));
  };
  return {real(codes.lowest), real(codes.highest)};
}

bool fixes_shapes(const Graph& graph) {
  return std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && std::ranges::all_of(*shape, [](int64_t extent) { return extent >= 0; });
  });
}

bool is_8_bit(const QdqNode& node) { return node.codes == DataType::Int8 || node.codes == DataType::UInt8; }

bool has_range(const QdqNode& node) { return is_8_bit(node) && node.scales.size() == 1; }

std::string trouble_of(const LintView& view, const QuantizedOperand& pair, const std::string& whose) {
  const QdqNode& grid = view.grid(pair);
  if (pair.dequantize < 0) return whose + " has no DequantizeLinear";
  if (!grid.scale_constant) return whose + " has a scale that is computed at run time";
  if (!is_8_bit(grid)) return whose + " is of type " + std::string(name_of(grid.codes));
  if (grid.per_channel()) return whose + " has a scale for each channel";
  if (grid.scale_type == DataType::Float16) return whose + " has an FP16 scale";
  if (grid.codes == DataType::Int8 && !has_one_reader(view, pair)) return whose + " is INT8 and has several readers";
  return "";
}

// Relu and Clip that are absorbed leave with the pair behind them; `why` says what keeps them.
std::string kept_activation(const LintView& view, NodeId activation, const QdqNode& grid) {
  const std::string what = view.found().describe(activation);
  if (!has_range(grid)) return "the pair behind " + what + " is no 8-bit pair of one scale";
  const Range range = range_of(grid);
  if (view.found().kind(activation) == OpKind::Relu)
    return range.min == 0 ? "" : "the zero point behind " + what + " is " + std::to_string(zero_point(grid)) +
                                     ": a Relu is absorbed only where the lowest code is 0";
  Range bounds;
  constexpr float kRounding = 4 * std::numeric_limits<float>::epsilon();  // a scale made of the bound
  if (!clip_bounds(view.found(), activation, bounds)) return "the bounds of " + what + " are computed at run time";
  if (range.min >= bounds.min - kRounding && range.max <= bounds.max * (1 + kRounding)) return "";
  return "the pair behind " + what + " holds values that it would cut";
}

std::string conv_obstacle(const LintView& view, const Node& conv, const QuantizedOperand& input) {
  const ValueId own = conv.output(0);
  const auto use = sole_use(view.graph(), own);
  const bool activated = use && !view.operand(use->node, use->slot) &&
                         (view.found().kind(use->node) == OpKind::Relu || view.found().kind(use->node) == OpKind::Clip);
  const ValueId last = activated ? view.graph().node(use->node).output(0) : own;
  const std::string& name = view.graph().value(last).name;
  const auto closing = closing_pairs(view, last);
  if (closing.empty())
    return view.graph().value(last).is_output ? "its output '" + name + "' is a graph output without a pair"
                                              : "its output '" + name + "' is not read through one pair alone";
  const QdqNode& grid = view.grid(*closing.front());
  if (std::string trouble = trouble_of(view, *closing.front(), "the pair behind it"); !trouble.empty()) return trouble;
  if (activated)
    if (std::string kept = kept_activation(view, use->node, grid); !kept.empty()) return kept;
  if (grid.codes != view.grid(input).codes) return "the pairs on its input and its output are of different types";
  return "";
}

// Exporters share a bias through Identity nodes, which ONNX Runtime takes away.
const Tensor* constant_behind_copies(const LintView& view, ValueId value) {
  while (value != kNoValue && !view.found().is_constant(value)) {
    const Node* node = view.graph().producer(value);
    value = node && view.found().kind(node->id) == OpKind::Reshape ? node->input(0) : kNoValue;
  }
  return view.graph().constant(value);
}

// A constant added for each column: ONNX Runtime makes a Gemm of the two, and that is integer only with a pair behind it.
bool adds_open_bias(const LintView& view, const Node& product) {
  const auto use = sole_use(view.graph(), product.output(0));
  if (!use || view.found().kind(use->node) != OpKind::Add || view.operand(use->node, use->slot)) return false;
  const Node& add = view.graph().node(use->node);
  const Tensor* bias = constant_behind_copies(view, add.input(static_cast<size_t>(1 - use->slot)));
  const Shape& weight = view.found().weight(product.id).shape();
  if (!bias || view.found().weight_slot(product.id) != 1 || bias->element_count() != weight[weight.rank() - 1]) return false;
  return closing_pairs(view, add.output(0)).empty();
}

bool has_float_bias(const LintView& view, const Node& node) {
  return node.input(2) != kNoValue && !view.operand(node.id, 2);
}

}  // namespace

bool has_one_reader(const LintView& view, const QuantizedOperand& operand) {
  if (operand.quantize < 0 || operand.dequantize < 0) return true;
  return view.qdq(operand.quantize).readers == 1 && view.qdq(operand.dequantize).readers == 1;
}

std::vector<const QuantizedOperand*> closing_pairs(const LintView& view, ValueId value) {
  const Value& v = view.graph().value(value);
  if (v.is_output || v.uses.empty()) return {};
  if (const auto use = sole_use(view.graph(), value);
      use && !view.operand(use->node, use->slot) && moves_pairs(view.found(), use->node))
    return closing_pairs(view, view.graph().node(use->node).output(0));
  std::vector<const QuantizedOperand*> pairs;
  for (const Use& use : v.uses) {
    const QuantizedOperand* pair = use.slot < 0 ? nullptr : view.operand(use.node, use.slot);
    // The shape of a value is a constant there when the inputs' are.
    if (use.slot >= 0 && view.found().kind(use.node) == OpKind::ShapeOf && fixes_shapes(view.graph())) continue;
    const bool stays = use.slot >= 0 && view.found().kind(use.node) == OpKind::QuantizeLinear;
    if (!pair && !stays) return {};
    if (!pair) continue;
    if (!pairs.empty() && !same_grid(view.grid(*pairs.front()), view.grid(*pair))) return {};
    pairs.push_back(pair);
  }
  return pairs;
}

std::optional<double> bias_scale_error(const LintView& view, NodeId layer) {
  const QuantizedOperand* bias = view.bias(layer);
  const QuantizedOperand* weight = view.weight(layer);
  const QuantizedOperand* input = input_pair(view, layer);
  if (!bias || !weight || !input || weight->dequantize < 0 || input->dequantize < 0 || bias->dequantize < 0)
    return std::nullopt;
  const std::vector<float>& of_bias = view.grid(*bias).scales;
  const std::vector<float>& of_weight = view.grid(*weight).scales;
  const std::vector<float>& of_input = view.grid(*input).scales;
  if (of_bias.empty() || of_weight.empty() || of_input.size() != 1) return std::nullopt;
  double worst = 0;
  for (size_t i = 0; i < std::max(of_bias.size(), of_weight.size()); ++i) {
    const double expected = static_cast<double>(of_input[0]) * static_cast<double>(of_weight[i % of_weight.size()]);
    const double distance = std::abs(static_cast<double>(of_bias[i % of_bias.size()]) - expected);
    if (!(distance <= 1e-6 + 0.01 * std::abs(expected))) worst = std::max(worst, distance / std::abs(expected));
  }
  return worst > 0 ? std::optional(worst) : std::nullopt;
}

std::string onnxruntime_obstacle(const LintView& view, NodeId layer) {
  const Node& node = view.graph().node(layer);
  const OpKind kind = view.found().kind(layer);
  if (kind == OpKind::ConvTranspose) return "ONNX Runtime has no integer ConvTranspose";
  const QuantizedOperand* input = input_pair(view, layer);
  const QuantizedOperand* weight = view.weight(layer);
  if (!input && !weight) return "neither its input nor its weight carries a pair";
  if (!input) return "its input '" + view.graph().value(view.found().data_input(layer)).name + "' carries no pair";
  if (!weight) return "its weight carries no pair";
  if (std::string trouble = trouble_of(view, *input, "the pair of its input"); !trouble.empty()) return trouble;
  if (weight->dequantize < 0) return "its weight has no DequantizeLinear";
  if (!is_8_bit(view.grid(*weight)) || !view.grid(*weight).scale_constant)
    return "its weight is not on a constant 8-bit grid";
  if (bias_scale_error(view, layer))
    return "the scale of its bias is not input scale * weight scale";
  if (kind == OpKind::Conv) return conv_obstacle(view, node, *input);
  if (kind == OpKind::MatMul && adds_open_bias(view, node))
    return "it becomes a Gemm with the Add behind it, which needs a pair on its output";
  if (kind == OpKind::Gemm && has_float_bias(view, node)) return "a Gemm with a float bias stays float";
  const bool factors = node.float_or("alpha", 1.0F) != 1.0F || node.float_or("beta", 1.0F) != 1.0F;
  if (kind == OpKind::Gemm && node.input(2) != kNoValue && factors)
    return "an integer Gemm with bias needs alpha = beta = 1";
  return "";
}

}  // namespace detent
