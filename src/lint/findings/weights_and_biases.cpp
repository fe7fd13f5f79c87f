// Weights and biases in a form that the engine refuses or interprets differently.

#include <fmt/core.h>

#include "lint/engines/onnxruntime/onnxruntime_flow.h"
#include "lint/engines/onnxruntime/onnxruntime_layers.h"
#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

// True when a pair follows: ONNX Runtime then quantizes the weight, with one scale for the tensor.
bool leads_to_pair(const LintView& view, NodeId layer) {
  const MaybeValue own = view.node(layer).output(0);
  return !closing_pairs(view, own).empty() ||
         !closing_pairs(view, fused_output(view.facts(), view.found(), layer)).empty();
}

// True when the layer reads the closing pair of a 3-D layer, which runs in INT8 only between two pairs (R6).
bool reads_closing_pair(const LintView& view, NodeId layer) {
  const MaybeNode writer = view.layer_writing(view.facts().data_input(layer));
  if (!writer || !view.is_meant_int8(*writer)) return false;
  const OpKind kind = view.facts().kind(*writer);
  return (kind == OpKind::Conv || kind == OpKind::ConvTranspose) && view.facts().weight(*writer).shape().rank() == 5;
}

// The use of a bias's scale: a QGemm ignores it and multiplies by input scale * weight scale; a Conv reads it, and
// stays float if it differs.
enum class BiasScale : uint8_t { Read, Ignored };

BiasScale use_of_bias_scale(const LintView& view, NodeId layer) {
  const OpKind kind = view.facts().kind(layer);
  return kind == OpKind::Gemm || kind == OpKind::MatMul ? BiasScale::Ignored : BiasScale::Read;
}

void check_bias_scales(const LintView& view, FindingLog& log, BiasScale use, const std::string& consequence) {
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id) || use_of_bias_scale(view, node.id) != use) continue;
    const auto error = bias_scale_error(view, node.id);
    if (!error) continue;
    log.add(node.name,
            "the bias of " + view.facts().describe(node.id) + " has scales " + number_text(100 * *error) +
                " % off input scale * weight scale; " + consequence,
            "compute the bias again with scale = input scale * weight scale, or keep it float", {node.id});
  }
}

}  // namespace

void int32_bias(const LintView& view, FindingLog& log) {
  add_each(
      view, log, [](const QdqNode& node) { return node.role == QdqRole::Bias && node.codes == DataType::Int32; },
      "is INT32 with a DequantizeLinear; TensorRT does not dequantize INT32",
      "keep the bias float (here: --format bias=float; in onnxruntime.quantization QuantizeBias=False)");
}

void int8_weight_initializer(const LintView& view, FindingLog& log) {
  if (view.target().int8_weight_initializer) return;
  add_each(
      view, log, [](const QdqNode& node) { return node.role == QdqRole::Weight && node.int8_constant; },
      fmt::format("is an {} initializer with DequantizeLinear, which TensorRT before 10 refuses", view.codes()),
      "write the float weight with QuantizeLinear and DequantizeLinear (here: --format weights=fp32)");
}

void weight_without_dq(const LintView& view, FindingLog& log) {
  const bool engine_refuses = view.target().engine.pairs_in_front_suffice;
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id)) continue;
    const std::string what = "the weight of " + view.facts().describe(node.id);
    const QuantizedOperand* weight = view.weight(node.id);
    if (weight && weight->quantize < 0 && weight->dequantize < 0) {
      log.add(node.name,
              fmt::format("{} is {} without DequantizeLinear: a float operator reads codes", what, view.codes()),
              "put a DequantizeLinear with the weight's scales in front of it", {node.id});
      continue;
    }
    if (weight || !view.operand(node.id, view.data_slot(node.id))) continue;
    if (engine_refuses) {
      if (reads_closing_pair(view, node.id)) continue;
      log.add(
          node.name,
          fmt::format("{} is float but its data has a pair: there is no kernel of {} and float", what, view.codes()),
          "quantize the weight per output channel, or let the layer read the value before the pair", {node.id});
    } else if (view.facts().kind(node.id) != OpKind::MatMul && leads_to_pair(view, node.id)) {
      log.add(node.name, what + " is float between two pairs: ONNX Runtime quantizes it with one scale for the tensor",
              "quantize it per output channel, or remove one of the two pairs", {node.id});
    }
  }
}

void bias_scale(const LintView& view, FindingLog& log) {
  check_bias_scales(view, log, BiasScale::Read, "ONNX Runtime then keeps the layer float");
}

void ignored_bias_scale(const LintView& view, FindingLog& log) {
  check_bias_scales(view, log, BiasScale::Ignored, "ONNX Runtime's QGemm ignores them and adds another bias");
}

}  // namespace detent::findings
