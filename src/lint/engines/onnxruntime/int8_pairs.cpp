// ONNX Runtime: INT8 activations, which have integer kernels only if each pair has one reader, and activations that the
// pair behind them absorbs partly or not at all. Scales that integer
// kernels do not take: of shape [1], also where the engine makes them of two pairs.

#include <algorithm>
#include <set>

#include "lint/engines/onnxruntime/findings.h"
#include "lint/engines/onnxruntime/onnxruntime_flow.h"
#include "lint/engines/onnxruntime/onnxruntime_layers.h"
#include "lint/view/pair_numbers.h"
#include "ops/clip_bounds.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"

namespace detent::findings {
namespace {

// Returns the QuantizeLinear that reads the value itself.
int first_quantize(const QuantizedOperand& pair) { return pair.first >= 0 ? pair.first : pair.quantize; }

// True for the second of two pairs that the engine joins: of one 8-bit type, with written zero points and other
// numbers, the first without other readers.
bool is_joined(const LintView& view, const QuantizedOperand& pair) {
  if (pair.first < 0 || pair.quantize < 0 || pair.first == pair.quantize) return false;
  const QdqNode &first = view.qdq(pair.first), &second = view.qdq(pair.quantize);
  const auto joins = [](const QdqNode& grid) {
    return (grid.codes == DataType::Int8 || grid.codes == DataType::UInt8) && grid.scales.size() == 1 &&
           grid.has_zero_point;
  };
  const auto reads_first = [&](const QuantizedOperand& other) { return other.quantize == pair.first; };
  return joins(first) && joins(second) && first.codes == second.codes && !same_grid(first, second) &&
         std::ranges::none_of(view.reading().operands, reads_first);
}

// True when the Clip cuts nothing at the top that the codes do not cut, but cuts more at the bottom.
bool cuts_only_below(const QdqNode& grid, const ClipBounds& bounds) {
  const double scale = static_cast<double>(grid.scales.front());
  const double point = grid.zero_points.empty() ? 0.0 : static_cast<double>(grid.zero_points.front());
  const CodeRange codes = code_range(grid.codes);
  const double half_step = 0.5 * scale;  // less disappears in rounding
  return (codes.lowest - point) * scale < static_cast<double>(bounds.low()) - half_step &&
         (codes.highest - point) * scale <= static_cast<double>(bounds.high()) + half_step;
}

// The opset from which on the engine copies a QuantizeLinear with `output_dtype`.
constexpr int64_t kOutputType = 21;

// True when the engine writes a copy of the pair: behind a copy of values that no other pair follows, or behind the
// Reshape in front of the Gemm that it makes of a MatMul and an Add.
bool copies_pair(const LintView& view, NodeId reader) {
  if (const auto bias = product_bias(view, reader); bias && bias->reshaped) return true;
  if (!moves_pairs(view.facts(), view.found(), reader)) return false;
  const auto& uses = view.value(*view.node(reader).output(0)).uses;
  return std::ranges::none_of(uses, [&](const Use& use) { return use.slot >= 0 && view.operand(use.node, use.slot); });
}

}  // namespace

void copied_int8_pair(const LintView& view, FindingLog& log) {
  if (view.graph().opset() < kOutputType) return;
  std::set<int> named;
  for (const QuantizedOperand& operand : view.reading().operands) {
    const MaybeNode node = view.graph().find_node(operand.node);
    if (operand.constant || !node || operand.quantize < 0 || view.grid(operand).codes != DataType::Int8) continue;
    if (!has_one_reader(view, operand) || !copies_pair(view, *node) || !named.insert(operand.quantize).second) continue;
    log.add(view.qdq(operand.quantize).name,
            subject(view, operand.quantize) + " is INT8 at opset " + std::to_string(view.graph().opset()) +
                ": ONNX Runtime 1.30 to 1.32 refuses the model at levels extended and all, because it writes a copy "
                "behind " +
                view.facts().describe(*node) + " as INT8 and makes the zero point UINT8",
            "write the file with opset 20 (repair does if no operator is newer), quantize activations to UINT8, or run "
            "at level basic",
            view.layers_of(operand.quantize));
  }
}

void shared_int8_pair(const LintView& view, FindingLog& log) {
  std::set<int> named;
  for (const QuantizedOperand& operand : view.reading().operands) {
    const MaybeNode node = view.graph().find_node(operand.node);
    if (operand.constant || !node || view.grid(operand).codes != DataType::Int8) continue;
    if (has_one_reader(view, operand) || !named.insert(operand.quantize).second) continue;
    const MaybeValue value = view.node(*node).input(operand.slot);
    std::vector<NodeId> layers = view.layers_of(operand.quantize);
    if (const MaybeNode before = view.layer_writing(value)) layers.push_back(*before);
    std::erase_if(layers, [&](NodeId layer) { return view.obstacle(layer).empty(); });
    if (layers.empty()) continue;
    log.add(
        view.qdq(operand.quantize).name,
        subject(view, operand.quantize) +
            " is INT8 and has several readers: ONNX Runtime makes a Conv or MatMul an integer kernel only if each "
            "INT8 QuantizeLinear has one DequantizeLinear with one reader",
        "quantize activations to UINT8, give each reader a separate QuantizeLinear and DequantizeLinear, or set the "
        "session option session.qdqisint8allowed=1",
        layers);
  }
}

void clip_before_int8_q(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (view.facts().kind(node.id) != OpKind::Clip) continue;
    const auto bounds = clip_bounds(view.graph(), node);
    if (!bounds) continue;
    std::set<int> named;
    for (const QuantizedOperand* pair : view.pairs_on(node.output(0))) {
      if (pair->quantize < 0 || !named.insert(pair->quantize).second) continue;
      const QdqNode& grid = view.qdq(pair->quantize);
      if (grid.codes != DataType::Int8 || grid.scales.size() != 1 || !cuts_only_below(grid, *bounds)) continue;
      const MaybeNode before = view.layer_writing(node.output(0));
      const bool lost = before && !view.obstacle(*before).empty();
      log.add(node.name,
              "an INT8 pair behind it reaches below its lower bound: ONNX Runtime does not absorb the Clip" +
                  std::string(lost ? ", and " + view.facts().describe(*before) + " stays float" : ""),
              "quantize activations to UINT8", lost ? std::vector{*before} : std::vector<NodeId>{},
              lost ? FindingLevel::Warning : FindingLevel::Note);
    }
  }
}

void refused_activation(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    const auto refused = refused_activation(view, node);
    if (!refused) continue;
    const Node& activation = view.node(refused->node);
    log.add(activation.name,
            "ONNX Runtime calls the model invalid at levels extended and all: it makes an integer kernel of " +
                view.facts().describe(node.id) + ", assumes that the pair behind the " + activation.op_type +
                " absorbs it, and does not remove it, because " + refused->why,
            "write the zero point, and a scale whose range ends at the bound or inside it; or run at level basic",
            view.facts().is_weighted(node.id) ? std::vector{node.id} : std::vector<NodeId>{});
  }
}

void scale_not_scalar(const LintView& view, FindingLog& log) {
  std::set<int> named;
  for (const Node& node : view.graph().nodes()) {
    const auto kernel = scalar_kernel(view, node);
    if (!kernel) continue;
    std::set<int> halves{first_quantize(*kernel->written)};
    for (const QuantizedOperand* pair : kernel->read) halves.insert(pair->dequantize);
    for (const int half : halves) {
      if (half < 0 || view.qdq(half).scalar || !named.insert(half).second) continue;
      const std::string has =
          view.qdq(half).per_channel() ? "a scale for each channel" : "a scale or zero point of shape [1]";
      log.add(view.qdq(half).name,
              subject(view, half) + " has " + has +
                  ": ONNX Runtime up to 1.31 calls the model invalid at levels extended and all, because it makes an "
                  "integer kernel of " +
                  view.facts().describe(node.id) + ", which takes scalars only",
              "write scale and zero point as scalars (repair does), or run at level basic", {});
    }
  }
}

void joined_pairs(const LintView& view, FindingLog& log) {
  std::set<int> named;
  for (const Node& node : view.graph().nodes()) {
    const auto kernel = scalar_kernel(view, node);
    if (!kernel) continue;
    std::vector<const QuantizedOperand*> pairs = kernel->read;
    pairs.push_back(kernel->written);
    for (const QuantizedOperand* pair : pairs) {
      if (!is_joined(view, *pair) || !named.insert(pair->first).second) continue;
      log.add(view.qdq(pair->first).name,
              subject(view, pair->quantize) +
                  " stands behind another one of the same type: ONNX Runtime 1.23 to 1.25 calls the model invalid at "
                  "levels extended and all, because it joins the two into one with a scale of shape [1], which the "
                  "integer kernel of " +
                  view.facts().describe(node.id) + " does not take",
              "keep one of the two pairs (repair does), or run at level basic", {});
    }
  }
}

}  // namespace detent::findings
