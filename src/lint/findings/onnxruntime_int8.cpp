// INT8 activations in ONNX Runtime: integer kernels only where each pair has one reader, and a Clip that gets lost.

#include "lint/findings/findings.h"
#include "lint/findings/pair_numbers.h"
#include "lint/view/onnxruntime_flow.h"
#include "ops/clip_bounds.h"
#include "place/draft/onnxruntime_pairs.h"

namespace detent::findings {
namespace {

void check_shared(const LintView& view, FindingLog& log) {
  std::set<int> named;
  for (const QuantizedOperand& operand : view.reading().operands) {
    const NodeId node = view.graph().find_node(operand.node);
    if (operand.constant || node == kNoNode || view.grid(operand).codes != DataType::Int8) continue;
    if (has_one_reader(view, operand) || !named.insert(operand.quantize).second) continue;
    const ValueId value = view.graph().node(node).inputs[static_cast<size_t>(operand.slot)];
    std::vector<NodeId> layers = view.layers_of(operand.quantize);
    if (const NodeId before = view.layer_writing(value); before != kNoNode) layers.push_back(before);
    std::erase_if(layers, [&](NodeId layer) { return view.obstacle(layer).empty(); });
    if (layers.empty()) continue;
    log.add(
        view.qdq(operand.quantize).name,
        subject(view, operand.quantize) +
            " is INT8 and has several readers: ONNX Runtime makes a Conv or MatMul an integer kernel only where each "
            "INT8 "
            "QuantizeLinear has one DequantizeLinear with one reader",
        "quantize activations to UINT8, give each reader a DequantizeLinear and QuantizeLinear of its own, or set the "
        "session option session.qdqisint8allowed=1",
        layers);
  }
}

// The Clip cuts nothing at the top that the codes do not cut, and something at the bottom that they do not.
bool cuts_only_below(const QdqNode& grid, const ClipBounds& bounds) {
  const double scale = static_cast<double>(grid.scales.front());
  const double point = grid.zero_points.empty() ? 0.0 : static_cast<double>(grid.zero_points.front());
  const CodeRange codes = code_range(grid.codes);
  const double half_step = 0.5 * scale;  // less is lost in rounding
  return (codes.lowest - point) * scale < static_cast<double>(bounds.low()) - half_step &&
         (codes.highest - point) * scale <= static_cast<double>(bounds.high()) + half_step;
}

void check_clip(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (view.found().kind(node.id) != OpKind::Clip) continue;
    const auto bounds = clip_bounds(view.graph(), node);
    if (!bounds) continue;
    std::set<int> named;
    for (const QuantizedOperand* pair : view.pairs_on(node.output(0))) {
      if (pair->quantize < 0 || !named.insert(pair->quantize).second) continue;
      const QdqNode& grid = view.qdq(pair->quantize);
      if (grid.codes != DataType::Int8 || grid.scales.size() != 1 || !cuts_only_below(grid, *bounds)) continue;
      std::vector<NodeId> layers = view.layers_of(pair->quantize);
      if (const NodeId before = view.layer_writing(node.output(0)); before != kNoNode) layers.push_back(before);
      log.add(node.name,
              "an INT8 pair behind it reaches below its lower bound: ONNX Runtime drops the Clip for the pair, and the "
              "bound is lost",
              "quantize activations to UINT8, or run with graph optimizations disabled", layers);
    }
  }
}

}  // namespace

FindingKind shared_int8_pair() {
  return {"shared-int8-pair",
          std::nullopt,
          FindingLevel::Warning,
          "an INT8 pair with several readers",
          "tried in ONNX Runtime 1.30, CPU",
          check_shared};
}

FindingKind clip_before_int8_q() {
  return {"clip-before-int8-q",
          std::nullopt,
          FindingLevel::Error,
          "a Clip in front of an INT8 pair that reaches below it",
          "tried in ONNX Runtime 1.30, CPU: models/imagenet_mobilenetv2 fell from 83 % to 10 %",
          check_clip};
}

}  // namespace detent::findings
