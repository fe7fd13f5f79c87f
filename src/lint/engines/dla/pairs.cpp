// DLA takes implicit quantization only: a float model and a calibration cache. Pairs would send each layer to the GPU.

#include "lint/engines/dla/findings.h"

namespace detent::findings {

void pairs_for_dla(const LintView& view, FindingLog& log) {
  const auto& nodes = view.reading().nodes;
  if (nodes.empty()) return;
  std::vector<NodeId> layers;
  for (const LayerDecision& layer : view.found_plan().layers) layers.push_back(layer.node);
  log.add(nodes.front().name, "DLA takes no QuantizeLinear and DequantizeLinear: layers between pairs run on the GPU",
          "quantize the float model with `detent quantize --target tensorrt:dla`, which writes a calibration cache",
          layers);
}

}  // namespace detent::findings
