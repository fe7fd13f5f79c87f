// The ranges behind Sigmoid, Softmax and Tanh are fixed.
//
//   Sigmoid --> Q/DQ     [0, 1]; uint16: scale 1/65536, zero point 0
//   Tanh    --> Q/DQ     [-1, 1]; uint16: scale 1/32768, zero point 32768
//   Softmax --> Q/DQ     [0, 1]
//
// * Decides: Sigmoid and Softmax write [0, 1], Tanh [-1, 1], whatever was measured. With uint16 the scales are 1/65536
//   (Sigmoid) and 1/32768 with zero point 32768 (Tanh), with int16 1/32768. Copies behind them have the same encoding.
// * Why: HTP's kernels write these encodings.
// * Change it: `--override` with the name of the value.
// * Source: onnxruntime, python/tools/quantization/execution_providers/qnn/quant_config.py (16 bits); AIMET,
//   htp_quantsim_config_v81.json (8 bits).
// * Networks: models/bccd_dfl (Sigmoid of SiLU).

#include <map>

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

constexpr float kUInt16End = 65535.0F / 65536.0F, kInt16End = 32767.0F / 32768.0F;

std::optional<Range> encoding_of(const PlacementDraft& draft, const Node& node) {
  const bool wide = draft.is_wide(node.output(0)), is_signed = draft.options().int16_activations;
  const float end = is_signed ? kInt16End : kUInt16End;
  switch (draft.facts().kind(node.id)) {
    case OpKind::Sigmoid: return Range{0.0F, wide ? end : 1.0F};
    case OpKind::Tanh: return wide ? Range{is_signed ? -kInt16End : -1.0F, kInt16End} : Range{-1.0F, 1.0F};
    case OpKind::Softmax: return Range{0.0F, 1.0F};
    default: return std::nullopt;
  }
}

void fix_encodings(const GraphFacts& facts, PlacementDraft& draft) {
  std::map<ValueId, Range> fixed;
  for (const Node& node : facts.graph().nodes()) {
    std::optional<Range> encoding;
    if (is_unit(facts, draft, node)) encoding = encoding_of(draft, node);
    const MaybeValue data = facts.data_input(node.id);
    const auto input = data ? fixed.find(*data) : fixed.end();
    if (input != fixed.end() && has_one_encoding(draft, node.id)) encoding = input->second;
    if (!encoding) continue;
    for (const ValueId output : present(node.outputs)) {
      if (!facts.is_float(output)) continue;
      fixed.emplace(output, *encoding);
      draft.fix_range(output, *encoding);
    }
  }
}

}  // namespace

constinit const Rule kFixedEncodings{.name = {"H3", "fixed encoding"}, .share = fix_encodings};

}  // namespace detent::rules::qnn
