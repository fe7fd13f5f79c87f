// WebGPU has no kernel for QuantizeLinear: the values of a pair go to the CPU and back.

#include "lint/engines/webgpu/findings.h"

namespace detent::findings {

void quantized_on_cpu(const LintView& view, FindingLog& log) {
  std::vector<NodeId> layers;
  for (const LayerDecision& layer : view.found_plan().layers) layers.push_back(layer.node);
  for (const QdqNode& node : view.reading().nodes)
    if (node.quantizes)
      log.add(node.name,
              "WebGPU has no kernel for QuantizeLinear: it runs on the CPU, with a copy of its value each way",
              "`detent quantize --target web:webgpu` from the float model stores weights alone as codes", layers);
}

}  // namespace detent::findings
