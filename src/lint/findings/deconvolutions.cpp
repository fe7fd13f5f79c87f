//   wrong:   Q/DQ --> ConvTranspose --> BatchNormalization --> Relu --> Q/DQ
//   wrong:   Q/DQ --> ConvTranspose (3-D) --> Relu --> Add       right:   ... --> Relu --> Q/DQ --> Add
//
// TensorRT has no fusion for Q/DQ + ConvTranspose + BatchNormalization, and runs a 3-D ConvTranspose in INT8 only
// between two pairs.

#include "lint/findings/findings.h"
#include "lint/view/tensorrt_layers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

void check_batchnorm(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (view.found().kind(node.id) != OpKind::ConvTranspose || !view.found().is_weighted(node.id)) continue;
    const NodeId norm = batchnorm_behind(view, node.id);
    if (norm == kNoNode || !view.is_meant_int8(node.id)) continue;
    log.add(view.node(norm).name,
            "stands behind " + view.found().describe(node.id) +
                ": TensorRT does not fuse the two between pairs, and what follows does not fuse either",
            "fold it into the weights before they are quantized (detent quantize does)", {node.id});
  }
}

void check_closing(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    if (!view.found().is_weighted(node.id) || !view.is_meant_int8(node.id) || !lacks_closing_pair(view, node.id))
      continue;
    const std::string behind = view.value(fused_output(view.found(), node.id)).name;
    log.add(node.name, "no pair stands behind '" + behind + "': in 3-D a ConvTranspose runs in INT8 only between two",
            "put a pair on '" + behind + "'", {node.id});
  }
}

}  // namespace

FindingKind batchnorm_behind_deconvolution() {
  return {"batchnorm-behind-deconvolution",
          FindingLevel::Warning,
          std::nullopt,
          "a BatchNormalization was left behind a ConvTranspose",
          "github.com/NVIDIA/TensorRT/issues/3412",
          check_batchnorm};
}

FindingKind deconvolution_3d_not_closed() {
  return {"deconvolution-3d-not-closed",
          FindingLevel::Warning,
          std::nullopt,
          "a 3-D ConvTranspose without a pair behind it",
          "github.com/NVIDIA/TensorRT/issues/3412",
          check_closing};
}

}  // namespace detent::findings
