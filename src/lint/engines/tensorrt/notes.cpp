// Fusions that TensorRT does not make whatever the pairs: worth knowing when a network is slower than expected.

#include <fmt/core.h>

#include "lint/engines/tensorrt/findings.h"
#include "place/draft/flow.h"

namespace detent::findings {
void concat_input_from_float(const LintView& view, FindingLog& log) {
  const ValueMap<bool> sources = int8_sources(view.found()), before_pairs = values_before_pairs(view.found());
  for (const Node& node : view.graph().nodes()) {
    if (!is_data_concat(view.facts(), view.found(), node.id) || !before_pairs[*node.output(0)]) continue;
    for (const int slot : view.facts().data_slots(node.id)) {
      const ValueId input = *node.input(slot);
      if (sources[input]) continue;
      log.add(node.name,
              fmt::format("its input {} comes from {}, which does not run in {}: the quantization happens before the "
                          "Concat and costs a copy",
                          slot, view.facts().describe_source(input), view.codes()),
              "quantize the producer, or exclude the layers behind the Concat", view.layers_reading(node.output(0)));
    }
  }
}

void leaky_relu_not_closed(const LintView& view, FindingLog& log) {
  const ValueMap<bool> before_pairs = values_before_pairs(view.found());
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id) || !view.found().is_int8(node.id)) continue;
    const MaybeNode activation = fused_activation(view.facts(), view.found(), node.output(0));
    if (!activation || view.facts().kind(*activation) != OpKind::LeakyRelu) continue;
    if (before_pairs[*view.node(*activation).output(0)]) continue;
    log.add(view.node(*activation).name,
            "fuses with " + view.facts().describe(node.id) + " only if a pair stands behind it, and none does",
            "put a pair behind it where its reader can take one", {node.id});
  }
}

}  // namespace detent::findings
