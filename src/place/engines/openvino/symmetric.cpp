// Some layers read pairs with zero point 0.
//
//   float:   x --> Q/DQ (uint8, zero point 113) --> ConvTranspose    INT8:   x --> Q/DQ (int8, 0) --> ConvTranspose
//
//   refused: a --> Concat(axis 1) --> Q/DQ (uint8, 6) --> MatMul     INT8:   Concat --> Q/DQ (int8, 0) --> MatMul
//            b ------^
//
// The Concat may lie behind Transposes, activations, slices and constants that are added or multiplied.
//
// * Decides: the pairs that a ConvTranspose, a product of two activations or of a constant on the left (V4), or a
//   product of rows that a Concat puts together reads have zero point 0: INT8 codes where the value goes below 0, UINT8
//   where it does not. A pair with signed codes stays behind a Concat. Pairs of other layers have zero point 0 as well
//   where codes then have at most 1.25 times the steps. A layer behind a Concat, a Gather or another
//   operator that moves numbers reads UINT8 with a zero point; a Conv behind a Concat does with `--activation int8`,
//   too.
// * Why: with another zero point, 128 too, the first run in float; with the last the model does not compile ("cannot be
//   broadcasted"). Signed codes of values that are nowhere negative are wrong in front of a Concat on CPUs with VNNI.
//   On CPUs without AMX a Conv computes other numbers of any signed codes that a Concat joins (10 dB). With AMX a zero
//   point takes up to a fifth of a network's time ([figures](../decisions/place.md#signed-codes-for-openvino)).
// * Change it: no option.
// * Source: OpenVINO 2026.4.1, CPU plugin, asked in November 2026.
// * Networks: models/occupancy3d, models/style_starry_night, exports/tcn1d.

#include "place/engines/openvino/openvino_kernels.h"
#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

bool wants_zero_point_0(const GraphFacts& facts, const Node& node, int slot) {
  switch (facts.kind(node.id)) {
    case OpKind::ConvTranspose: return true;
    // Products of two activations, and of a constant on the left.
    case OpKind::MatMul:
      if (facts.weight_slot(node.id) != 1) return true;
      [[fallthrough]];
    case OpKind::Gemm: return static_cast<bool>(concat_of_rows(facts, node, slot));
    default: return false;
  }
}

// True for a value of an operator that computes each number, and for a graph input; behind_copies: also behind reshapes
// and transposes, which a Conv does not bear without AMX. The engine moves signed codes across others (Gather,
// operators that it takes apart) and computes other numbers.
bool computes_numbers(const GraphFacts& facts, ValueId value, bool behind_copies) {
  const Node* maker = facts.graph().producer(value);
  while (behind_copies && maker &&
         (facts.kind(maker->id) == OpKind::Reshape || facts.kind(maker->id) == OpKind::Transpose) && maker->input(0))
    maker = facts.graph().producer(*maker->input(0));
  if (!maker) return true;
  const OpKind kind = facts.kind(maker->id);
  switch (kind) {
    case OpKind::Conv:
    case OpKind::Gemm:
    case OpKind::MatMul:
    case OpKind::PRelu:
    case OpKind::Gelu:
    case OpKind::Softmax:
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Div:
    case OpKind::MaxPool:
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::BatchNorm:
    case OpKind::LayerNorm: return true;
    default: return is_activation(kind);
  }
}

// Runs before pairs move up through copies, so that each slot still shows its pair.
void share_symmetric(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    for (const int slot : facts.data_slots(node.id)) {
      if (!draft.is_pair(node.id, slot)) continue;
      const ValueId value = *node.input(slot);
      const OpKind kind = facts.kind(node.id);
      if (wants_zero_point_0(facts, node, slot)) {
        draft.make_symmetric(value);
        draft.explain_pairs(value, facts.describe(node.id) + " wants zero point 0");
      } else if (kind != OpKind::Conv && kind != OpKind::MatMul && kind != OpKind::Gemm) {
        continue;
      } else if (const MaybeNode concat = concat_in_front(facts, node, slot)) {
        if (kind == OpKind::Conv || !draft.options().int8_activations) draft.make_unsigned(value);
        if (kind == OpKind::Conv && draft.options().int8_activations)
          draft.explain_pairs(value, "UINT8: signed codes from " + facts.describe(*concat) + " are wrong in a Conv");
      } else if (computes_numbers(facts, value, kind != OpKind::Conv)) {
        draft.make_near_symmetric(value);
      }
    }
}

}  // namespace

constinit const Rule kSymmetric{.name = {"V3", "symmetric"}, .share = share_symmetric};

}  // namespace detent::rules::openvino
