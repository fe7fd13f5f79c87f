// Layers without an INT8 kernel stay float.
//
//   wrong:   x[N] --> Q/DQ --> MatMul --> y[1,M]        right:   x[N] --> MatMul --> y[M]
//            w (int8) --> DQ ----^                                w -------^
//
// * Decides: a ConvTranspose with groups and a MatMul of a vector read floats and keep float weights. Products of a
//   vector and a constant matrix are products of a matrix before rules apply, and get pairs.
// * Why: the engine runs a ConvTranspose with groups in float whatever its pairs are. Between pairs a vector's product
//   comes out as a matrix.
// * Change it: `--include`, for a version that has the kernel.
// * Source: OpenVINO 2026.4.1, CPU plugin, asked in November 2026.
// * Networks: exports/conv3d_mini, zoo/duck_policy, zoo/gtcrn_simple.

#include "place/engines/openvino/openvino_kernels.h"
#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

void mark_float_layers(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_forced(node.id)) continue;
    if (const std::string reason = openvino_kernel_obstacle(facts, node); !reason.empty())
      draft.keep_out(node.id, "OpenVINO " + reason);
  }
}

}  // namespace

constinit const Rule kFloatLayers{.name = {"V4", "float layer", kOpenVinoPlugin}, .mark = mark_float_layers};

}  // namespace detent::rules::openvino
