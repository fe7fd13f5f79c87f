//   wrong:   Q/DQ --> ConvTranspose --> BatchNormalization --> Relu --> Q/DQ
//   wrong:   Q/DQ --> ConvTranspose (3-D) --> Relu --> Add       right:   ... --> Relu --> Q/DQ --> Add
//
// TensorRT has no fusion for Q/DQ + ConvTranspose + BatchNormalization, and runs a 3-D ConvTranspose in INT8 only
// between two pairs.

#include <fmt/core.h>

#include "lint/engines/tensorrt/findings.h"
#include "lint/engines/tensorrt/tensorrt_layers.h"
#include "place/draft/flow.h"

namespace detent::findings {

void batchnorm_behind_deconvolution(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (view.facts().kind(node.id) != OpKind::ConvTranspose || !view.facts().is_weighted(node.id)) continue;
    const MaybeNode norm = batchnorm_behind(view, node.id);
    if (!norm || !view.is_meant_int8(node.id)) continue;
    log.add(view.node(*norm).name,
            "stands behind " + view.facts().describe(node.id) +
                ": TensorRT does not fuse the two between pairs, and the next operators do not fuse either",
            "fold it into the weights before quantizing them (detent quantize does)", {node.id});
  }
}

void deconvolution_3d_not_closed(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!view.facts().is_weighted(node.id) || !view.is_meant_int8(node.id) || !lacks_closing_pair(view, node.id))
      continue;
    const std::string behind = view.value(*fused_output(view.facts(), view.found(), node.id)).name;
    log.add(node.name,
            fmt::format("no pair stands behind '{}': in 3-D a ConvTranspose runs in {} only between two", behind,
                        view.codes()),
            "put a pair on '" + behind + "'", {node.id});
  }
}

}  // namespace detent::findings
