//   wrong:   x (FP32) --> Q (FP16 scale) --> DQ (FP16 scale)
//   right:   x (FP32) --> Q (FP32 scale) --> DQ (FP16 scale, the same number) --> FP16
//
// A strongly typed network needs the scale of QuantizeLinear in the type of its input; the output of DequantizeLinear
// has the type of its scale, which may be another. q-and-dq-differ checks that both scales are the same number. Below
// opset 19 the parser casts the scale.

#include <algorithm>

#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"
#include "ops/traits.h"

namespace detent::findings {
namespace {

constexpr int64_t kTypedScales = 19;

std::vector<NodeId> layers_at(const LintView& view, const std::string& qdq) {
  const auto& nodes = view.reading().nodes;
  const auto found = std::ranges::find(nodes, qdq, &QdqNode::name);
  return found == nodes.end() ? std::vector<NodeId>{} : view.layers_of(static_cast<int>(found - nodes.begin()));
}

}  // namespace

void scale_type_mixed(const LintView& view, FindingLog& log) {
  const LintedFile& file = view.file();
  const Graph& graph = file.graph;
  if (graph.opset() < kTypedScales) return;
  for (const Node& node : graph.nodes()) {
    if (traits_of(graph, node).kind != OpKind::QuantizeLinear) continue;
    const DataType read = file.type_of(node.input(0)), scale = file.type_of(node.input(1));
    if (read == scale || read == DataType::Undefined || scale == DataType::Undefined) continue;
    log.add(node.name,
            "reads '" + graph.value(*node.input(0)).name + "' in " + std::string(short_name(read)) +
                " with a scale in " + std::string(short_name(scale)) + ": a strongly typed network refuses the mixture",
            "give QuantizeLinear a scale of the same number in " + std::string(short_name(read)) +
                "; the scale of DequantizeLinear has the type that its readers need",
            layers_at(view, node.name));
  }
}

}  // namespace detent::findings
