//   wrong:   Q/DQ --> depthwise Conv --> LayerNormalization        right:   depthwise Conv --> LayerNormalization
//
// TensorRT runs such a layer in float although pairs stand in front of it, or does not build it.

#include <fmt/core.h>

#include "lint/engines/tensorrt/findings.h"
#include "lint/engines/tensorrt/tensorrt_layers.h"

namespace detent::findings {

void no_int8_kernel(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id) || !view.is_meant_int8(node.id)) continue;
    const std::string obstacle = kernel_obstacle(view, node.id);
    if (obstacle.empty() || log.explains(node.id)) continue;
    log.add(node.name, fmt::format("has pairs, and TensorRT does not run it in {}: {}", view.codes(), obstacle),
            "leave it float, as detent quantize does; detent repair takes the pairs away", {node.id});
  }
}

}  // namespace detent::findings
