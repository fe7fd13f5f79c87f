// Layers without an INT8 kernel stay float.
//
//   wrong:   x[N] --> Q/DQ --> MatMul --> y[1,M]        right:   x[N] --> MatMul --> y[M]
//            w (int8) --> DQ ----^                                w -------^
//
//   wrong:   q (int8) --> DQ --> MatMul --> Softmax         right:   q --> MatMul --> Softmax
//            k --> Q/DQ (113) ----^                                  k ------^
//
// * Decides: a ConvTranspose with groups or with a stride above 3 along the last axis, a MatMul of a vector and a
//   MatMul whose constant stands on the left (learned queries) read floats and keep float weights. A Conv behind a
//   Concat of another axis than the channels (circular padding) does, too, unless its input cannot go below 0. A
//   layer behind an operator that reads a sequence reads floats, because the engine compiles no pair there. Products
//   of a vector and a constant matrix are products of a matrix before rules apply, and get pairs. A Conv with a 1x1
//   kernel and strides reads floats if nothing else than such Convs reads its pair. Most strides of such Convs stand
//   in another Conv or a MaxPool before rules apply.
// * Why: the engine runs such a ConvTranspose in float whatever its pairs are. With a stride of 4 in a vocoder it
//   took 33 times the float model's time between pairs. Between pairs a vector's product comes out as a matrix.
//   Attention with an INT8 constant on the left comes out wrong (0.5 dB) unless the keys have zero point 0, and such
//   products saturate on CPUs without VNNI whatever their codes are. Behind such a Concat a zero point gets an axis
//   that no INT8 Conv takes; in float between codes it takes 1.6 times the float model's time.
// * Change it: `--include`, for a version that has the kernel. The products then get zero point 0 (V3).
// * Source: OpenVINO 2026.4.1, CPU plugin, asked in November 2026.
// * Networks: exports/conv3d_mini, zoo/duck_policy, zoo/gtcrn_simple.

#include "place/engines/openvino/openvino_kernels.h"
#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

// Returns the Concat of another axis than the channels that a Conv reads, of values that may go below 0.
MaybeNode rows_below_zero(const GraphFacts& facts, const Node& layer) {
  const int slot = 0;
  if (facts.kind(layer.id) != OpKind::Conv || stays_above_zero(facts, layer.input(slot))) return kNoNode;
  return concat_of_rows(facts, layer, slot);
}

void mark_float_layers(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_forced(node.id)) continue;
    if (const std::string reason = openvino_kernel_obstacle(facts, node); !reason.empty())
      draft.keep_out(node.id, "OpenVINO " + reason);
    else if (const MaybeNode concat = rows_below_zero(facts, node))
      draft.keep_out(node.id, "OpenVINO runs it in float: " + facts.describe(*concat) +
                                  " joins another axis than the channels, of values that go below 0");
  }
}

// A layer in prepared graphs only where another Conv that reads the value stays float: the form EarlyStrides moves
// other strides.
void review_strides(const PlacementDraft& draft, LayersKeptOut& kept) {
  for (const Node& node : draft.facts().graph().nodes())
    if (draft.is_int8(node.id) && !draft.is_forced(node.id) && loses_pair_to_strides(draft, node))
      kept.emplace(node.id, "OpenVINO runs it in float: it moves its strides in front of the pair");
}

}  // namespace

constinit const Rule kFloatLayers{.name = {"V4", "float layer"}, .mark = mark_float_layers, .review = review_strides};

}  // namespace detent::rules::openvino
