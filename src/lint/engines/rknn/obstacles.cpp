// Obstacles of rknn-toolkit2, whatever pairs the file has (K3).
#include <algorithm>

#include "lint/engines/rknn/findings.h"
#include "lint/view/lint_view.h"
#include "place/engines/rknn/npu_nodes.h"

namespace detent::findings {

void rknn_not_built(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    const std::string half = half_obstacle(view.facts(), node);
    if (!half.empty()) log.add(node.name, node.op_type + " " + half, "take patches with two Convs", {node.id});
    const std::string obstacle = build_obstacle(view.facts(), node);
    if (!obstacle.empty())
      log.add(node.name, node.op_type + " " + obstacle + ", which rknn-toolkit2 does not build",
              "cut the model in front of it, or export it without", {node.id});
  }
}

void rknn_open_shape(const LintView& view, FindingLog& log) {
  for (const ValueId input : view.graph().inputs()) {
    const Value& value = view.value(input);
    if (!value.declared_shape || std::ranges::find(*value.declared_shape, -1) == value.declared_shape->end()) continue;
    const std::string& reader = value.uses.empty() ? value.name : view.node(value.uses.front().node).name;
    log.add(reader, "graph input '" + value.name + "' has an open extent; rknn-toolkit2 builds for fixed shapes only",
            "fix the extents before quantizing (onnxruntime.tools.make_dynamic_shape_fixed)", {});
  }
}

}  // namespace detent::findings
