// FP8 pairs (float8e4m3fn) work in TensorRT from version 10 on, in models of opset 19 and later. ONNX Runtime has no
// FP8 kernels on a CPU. At its default level it replaces layers between such pairs by QLinearConv or QLinearMatMul,
// which take no FP8, so the file does not load; the same with a Clip before a pair. A Relu there is dropped, because
// the zero point's byte passes for UINT8's lowest code. session.disable_quant_qdq=1 helps only against the first. At
// level basic it computes the file correctly in float (tests/onnxruntime/fp8_test.py).

#include "lint/findings/findings.h"
#include "lint/view/lint_engine.h"
#include "lint/view/pair_numbers.h"

namespace detent::findings {
namespace {

constexpr int64_t kFp8Opset = 19;  // ONNX docs/Changelog.md, QuantizeLinear-19

std::vector<NodeId> layers_of_all(const LintView& view, const std::vector<int>& nodes) {
  std::set<NodeId> layers;
  for (const int index : nodes)
    for (const NodeId layer : view.layers_of(index)) layers.insert(layer);
  return {layers.begin(), layers.end()};
}

// True for operators with FP8 kernels. An Add counts when a rule quantizes it in FP8 (R4): the skip of a residual one.
bool runs_in_fp8(const LintView& view, NodeId node, int slot) {
  switch (view.facts().kind(node)) {
    case OpKind::Conv:
    case OpKind::Gemm:
    case OpKind::MatMul: return true;
    case OpKind::Add: {
      const EdgeDecision* edge = view.given_plan().find_edge(node, slot);
      return edge && edge->rule && edge->rule->residual_adds;
    }
    default: return view.facts().traits(node).commutes;
  }
}

}  // namespace

// One finding for the file: an engine treats all such pairs alike.
void fp8_refused(const LintView& view, FindingLog& log) {
  const std::vector<int> nodes = nodes_where(view, is_fp8);
  if (nodes.empty()) return;
  const Target& target = view.target();
  const std::vector<NodeId> layers = layers_of_all(view, nodes);
  const std::string& first = view.qdq(nodes.front()).name;
  const FindingText& refused = *lint_engine(target.engine.id).fp8_refused;
  if (!target.takes_fp8() && !refused.message.empty()) {
    log.add(first, std::string(refused.message), std::string(refused.cure), layers);
  } else if (!target.takes_fp8()) {
    log.add(first, target.spec() + " does not take FP8 pairs", "TensorRT 10 and later take them; or --type int8",
            layers);
  } else if (view.file().graph.opset() < kFp8Opset) {
    log.add(first,
            "FP8 pairs stand in a model of opset " + std::to_string(view.file().graph.opset()) +
                ", where QuantizeLinear writes integers only",
            "raise the opset to 19", layers);
  }
}

void fp8_operator(const LintView& view, FindingLog& log) {
  std::set<NodeId> told;
  for (const QuantizedOperand& operand : view.reading().operands) {
    const MaybeNode found = view.graph().find_node(operand.node);
    if (!found) continue;
    const NodeId node = *found;
    const bool fp8 = (operand.quantize >= 0 && is_fp8(view.qdq(operand.quantize))) ||
                     (operand.dequantize >= 0 && is_fp8(view.qdq(operand.dequantize)));
    if (!fp8 || runs_in_fp8(view, node, operand.slot) || !told.insert(node).second) continue;
    const std::string& op = view.node(node).op_type;
    log.add(view.node(node).name,
            view.facts().describe(node) + " reads an FP8 pair, and no engine has an FP8 kernel for " +
                (op == "Add" ? "an Add that is not residual" : op) + ": it is computed in float after the rounding",
            "remove the pair; Conv, Gemm, MatMul and residual Adds run in FP8",
            view.facts().is_weighted(node) ? std::vector<NodeId>{node} : std::vector<NodeId>{});
  }
}

}  // namespace detent::findings
