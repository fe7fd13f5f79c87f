// Layers that stay float may have their weights stored as codes.
//
//   before:   x (float) --> Conv (float w)          after:   x (float) --> Conv <-- DQ (int8 w, a scale a channel)
//
// * Decides: with `--policy float-weights=int8` the weight of a Conv, ConvTranspose, Gemm or MatMul that computes in
//   float becomes INT8 codes with one scale an output channel, of the least squared
//   error, behind a DequantizeLinear. A layer that the user
//   excludes keeps its floats, and so does one with fewer than 1024 weights.
// * Why: the file has a quarter of the size there. The layer computes what it computed, with weights of about 40 dB;
//   ONNX Runtime converts them in each run, OpenVINO when it compiles.
// * Change it: `--policy float-weights=float`, the default; `--exclude`.
// * Source: ours; `quantize-weights` makes the same codes of a float model (R16).

#include "core/float_type.h"
#include "place/plan/least_codes.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

void share_float_weights(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().float_weights == PlacementOptions::FloatWeights::Float) return;
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || draft.is_excluded(node.id)) continue;
    const Tensor& weight = facts.weight(node.id);
    const bool is_float = weight.type() == DataType::Float32 || is_half(weight.type());
    if (is_float && weight.element_count() >= kLeastCodes) draft.quantize_weight(node.id);
  }
}

}  // namespace

constinit const Rule kFloatWeights{.name = {"R23", "float weights"}, .share = share_float_weights};

}  // namespace detent::rules
