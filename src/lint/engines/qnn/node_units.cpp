//   wrong:   x --> Q/DQ --> Conv --> Sigmoid --> Q/DQ       right:   x --> Q/DQ --> Conv --> Q/DQ --> Sigmoid --> Q/DQ
//
// Qualcomm's HTP runs no floats: every node that is not a whole unit of pairs splits the graph, as do control flow and
// open extents.

#include <algorithm>

#include "lint/engines/qnn/findings.h"
#include "lint/engines/qnn/qnn_units.h"
#include "ops/traits.h"
#include "place/engines/qnn/qnn_units.h"

namespace detent::findings {
namespace {

std::vector<NodeId> own_layer(const LintView& view, const Node& node) {
  return view.facts().is_weighted(node.id) || is_recurrent(node) ? std::vector{node.id} : std::vector<NodeId>{};
}

}  // namespace

void htp_float_unit(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes())
    if (const std::string obstacle = qnn_unit_obstacle(view, node); !obstacle.empty())
      log.add(node.name, node.op_type + " runs in float, which HTP does not: it " + obstacle,
              is_recurrent(node) && !is_unit(view.facts(), view.found(), node)
                  ? "export it without, or write it out in layers that HTP has"
                  : "put a pair on every input and behind every output",
              own_layer(view, node));
}

void htp_mixed_types(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes())
    if (const std::string types = qnn_type_obstacle(view, node); !types.empty())
      log.add(node.name, node.op_type + " " + types + "; HTP's kernels have one type for inputs and output",
              "quantize the whole model with one --activation, or convert in front of the node", own_layer(view, node));
}

void htp_per_channel(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      const QuantizedOperand* operand = view.operand(node.id, static_cast<int>(slot));
      if (!operand || !view.grid(*operand).per_channel()) continue;
      const OpKind kind = view.facts().kind(node.id);
      const bool weight = static_cast<int>(slot) == view.facts().weight_slot(node.id);
      const bool bias = static_cast<int>(slot) == view.facts().traits(node.id).bias_slot;
      if ((weight || bias) && kind != OpKind::MatMul) continue;
      log.add(node.name,
              node.op_type + " reads '" + view.value(*node.inputs[slot]).name +
                  "' with a scale for each channel, which HTP takes for weights of Conv, ConvTranspose and Gemm only",
              "write one scale", own_layer(view, node));
    }
  }
}

void htp_no_kernel(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    const std::string missing = missing_kernel(view.facts(), node);
    if (missing.empty()) continue;
    log.add(node.name, node.op_type + " " + missing,
            "write it out in operators that HTP has (detent quantize does so for GELU, Mod by a constant and others)",
            own_layer(view, node));
  }
}

void htp_open_shape(const LintView& view, FindingLog& log) {
  for (const ValueId input : view.graph().inputs()) {
    const Value& value = view.value(input);
    if (!value.declared_shape || std::ranges::find(*value.declared_shape, -1) == value.declared_shape->end()) continue;
    const std::string& reader = value.uses.empty() ? value.name : view.node(value.uses.front().node).name;
    log.add(reader, "graph input '" + value.name + "' has an open extent; HTP takes static shapes only",
            "fix the extents before quantizing (onnxruntime.tools.make_dynamic_shape_fixed)", {});
  }
}

void htp_control_flow(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes())
    if (holds_graphs(node))
      log.add(node.name, node.op_type + " holds a graph; HTP runs no control flow",
              "export the model without control flow", {});
}

}  // namespace detent::findings
