// A ConvTranspose stays float.
//
// * Decides: a ConvTranspose reads floats and keeps a float weight.
// * Why: TensorRT for RTX has no INT8 kernel for it: all 28 that were built with pairs ran in half precision.
// * Change it: `--include`, for a version that has one.
// * Source: TensorRT for RTX 1.7.1 on SM89 and SM120, inspected engines.
// * Networks: exports/unet, models/shapes_unet, models/occupancy3d.
//
//   wrong:   Conv --> Q --> DQ --> ConvTranspose        right:   Conv --> ConvTranspose
//            w (int8) -> DQ ----^

#include <fmt/core.h>

#include "place/engines/tensorrt_rtx/rules.h"

namespace detent::rules::tensorrt_rtx {
namespace {

void mark_float_deconvolution(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    if (facts.kind(node.id) == OpKind::ConvTranspose && facts.is_weighted(node.id) && !draft.is_forced(node.id))
      draft.keep_out(node.id, fmt::format("TensorRT for RTX has no {} ConvTranspose", draft.codes()));
}

}  // namespace

constinit const Rule kFloatDeconvolution{.name = {"X1", "float deconvolution"}, .mark = mark_float_deconvolution};

}  // namespace detent::rules::tensorrt_rtx
