// Layers beside 16-bit codes (`--activation uint16`) are called float.
//
//   float:    x --> Q(uint16) --> DQ --> Conv --> Q(uint16) --> DQ
//   float:    x --> Q(uint8) --> DQ --> Conv --> Q(uint16) --> DQ
//
// * Decides: with `--activation uint16` or `int16` the pairs are those of 8 bits, and every layer is called float; with
//   `"bits": 16` in `--override` the layers that read or write such a value. Their weights are still written as INT8
//   per channel, and bounds and sensitivity count the layers as quantized.
// * Why: the integer kernels of the CPU provider (QLinearConv, QLinearMatMul, QGemm ...) take INT8 and UINT8. The
//   engine computes between a 16-bit DequantizeLinear and QuantizeLinear in float, with the accuracy of the codes.
//   Other execution providers have 16-bit kernels and read the same file.
// * Change it: `--activation uint8`, the default.
// * Source: docs/OperatorKernels.md (QLinearConv) of microsoft/onnxruntime, read in November 2026; tried.

#include "place/draft/flow.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void keep_float_between_wide(const GraphFacts& facts, PlacementDraft& draft) {
  const auto has_wide_pair = [&](MaybeValue value) { return draft.has_pair(value) && draft.is_wide(value); };
  if (draft.options().type != CodeType::A16W8 && draft.options().wide_values.empty()) return;
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id) || !draft.is_int8(node.id)) continue;
    const MaybeValue data = facts.data_input(node.id);
    const bool wide = draft.options().type == CodeType::A16W8 || has_wide_pair(data) || has_wide_pair(node.output(0)) ||
                      has_wide_pair(fused_output(facts, draft, node.id));
    if (wide)
      draft.run_rounded_float(node.id,
                              "its activations have codes of 16 bits, which no integer kernel of the CPU takes");
  }
}

}  // namespace

constinit const Rule kWideActivations{.name = {"O12", "16-bit activations"}, .share = keep_float_between_wide};

}  // namespace detent::rules::onnxruntime
