#include "lint/engines/tensorrt/tensorrt_layers.h"

#include <algorithm>
#include <cmath>

#include "place/draft/flow.h"
#include "place/engines/tensorrt/kernels.h"
#include "place/engines/tensorrt/rules.h"

namespace detent {
namespace {

bool usable(float scale) { return std::isfinite(scale) && scale > 0; }

// Returns why TensorRT refuses one of an operand's nodes; empty when it takes them all.
std::string refusal_of(const PairView& view, const QuantizedOperand& operand) {
  if (operand.dequantize < 0) return "has no DequantizeLinear";
  if (operand.cast) return "has a Cast between its QuantizeLinear and its DequantizeLinear";
  for (const int index : {operand.quantize, operand.dequantize}) {
    if (index < 0) continue;
    if (std::string refusal = tensorrt_refusal(view, view.qdq(index)); !refusal.empty()) return refusal;
  }
  return "";
}

}  // namespace

std::string tensorrt_refusal(const PairView& view, const QdqNode& node) {
  if (!node.scale_constant) return "has a scale that is computed at run time";
  if (!std::all_of(node.scales.begin(), node.scales.end(), usable)) return "has a scale that is not positive";
  const bool fp8 = node.codes == DataType::Float8E4M3FN;
  if (fp8 && !view.target().takes_fp8()) return "is FP8, which this version does not take";
  if (!node.has_zero_point && !fp8) return "has no zero point";  // output_dtype alone may name FP8
  if (!fp8 && node.codes != DataType::Int8 && !is_read_as_int8(view, node))
    return "is of type " + std::string(name_of(node.codes));
  if (std::any_of(node.zero_points.begin(), node.zero_points.end(), [](int64_t point) { return point != 0; }))
    return "has a zero point other than 0";
  if (node.role == QdqRole::Activation && node.per_channel()) return "has a scale for each channel";
  if (node.role == QdqRole::Weight && node.int8_constant && !view.target().int8_weight_initializer)
    return "is an INT8 initializer";
  return "";
}

MaybeNode batchnorm_behind(const PairView& view, NodeId layer) {
  const auto use = sole_use(view.graph(), view.node(layer).output(0));
  return use && use->slot == 0 && view.facts().kind(use->node) == OpKind::BatchNorm ? MaybeNode(use->node) : kNoNode;
}

bool lacks_closing_pair(const PairView& view, NodeId layer) {
  const GraphFacts& facts = view.facts();
  const PlacementDraft& found = view.found();
  if (facts.kind(layer) != OpKind::ConvTranspose || facts.weight(layer).shape().rank() != 5) return false;
  if (batchnorm_behind(view, layer)) return false;
  const ValueId own = *view.node(layer).output(0), last = *fused_output(facts, found, layer);
  if (found.has_pair(own)) return false;
  for (const ValueId value : commuting_neighbours(facts, found, last))
    if (found.has_pair(value)) return false;
  const auto& uses = view.value(last).uses;
  // A reader that a rule keeps float reads floats: the rules put no pair there either.
  return std::any_of(uses.begin(), uses.end(), [&](const Use& use) {
    return use.slot >= 0 && !view.wanted().is_out(use.node) && !facts.is_foreign(use.node);
  });
}

std::string kernel_obstacle(const PairView& view, NodeId layer) {
  const auto rules = *view.target().engine.rules;
  const bool measured = std::ranges::find(rules, &rules::tensorrt::kFloatKernels) != rules.end();
  return measured ? tensorrt_kernel_obstacle(view.found(), layer, view.codes()) : "";
}

std::string tensorrt_obstacle(const PairView& view, NodeId layer) {
  const int slot = view.data_slot(layer);
  const auto data = view.pairs_in_front(layer, slot);
  const QuantizedOperand* weight = view.weight(layer);
  const std::string input = view.value(*view.facts().data_input(layer)).name;
  const OpKind kind = view.facts().kind(layer);
  const bool listed = kind == OpKind::Conv || kind == OpKind::Gemm || kind == OpKind::MatMul;
  if (weight && view.grid(*weight).codes == DataType::Float8E4M3FN && !listed)
    return "TensorRT has no FP8 kernel for it";
  if (data.empty() && !weight) return "neither its input nor its weight carries a pair";
  if (data.empty()) return "its input '" + input + "' carries no pair";
  if (!weight) return "its weight carries no pair";
  for (const QuantizedOperand* pair : data)
    if (std::string refusal = refusal_of(view, *pair); !refusal.empty())
      return "the pair of its input '" + input + "' " + refusal;
  if (std::string refusal = refusal_of(view, *weight); !refusal.empty()) return "the pair of its weight " + refusal;
  const auto is_fp8 = [&](const QuantizedOperand& pair) { return view.grid(pair).codes == DataType::Float8E4M3FN; };
  if (std::ranges::any_of(data, [&](const auto* pair) { return is_fp8(*pair) != is_fp8(*weight); }))
    return "its input and its weight are FP8 and INT8";
  if (const QuantizedOperand* bias = view.bias(layer); bias && view.grid(*bias).codes == DataType::Int32)
    return "its bias is INT32";
  if (lacks_closing_pair(view, layer)) return "in 3-D it is INT8 only between two pairs, and none stands behind it";
  const bool volume =
      view.facts().kind(layer) == OpKind::ConvTranspose && view.facts().weight(layer).shape().rank() == 5;
  if (volume && batchnorm_behind(view, layer)) return "a BatchNormalization stands between it and the pair behind it";
  return kernel_obstacle(view, layer);
}

}  // namespace detent
