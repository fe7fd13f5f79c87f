// Some layers read pairs with zero point 0.
//
//   float:   x --> Q/DQ (uint8, zero point 113) --> ConvTranspose    INT8:   x --> Q/DQ (int8, 0) --> ConvTranspose
//
//   refused: a --> Concat(axis 1) --> Q/DQ (uint8, 6) --> MatMul     INT8:   Concat --> Q/DQ (int8, 0) --> MatMul
//            b ------^
//
// The Concat may lie behind Transposes, activations and constants that are added or multiplied.
//
// * Decides: the pairs that a ConvTranspose, a product of two activations, or a product of rows that a Concat puts
//   together reads have zero point 0: INT8 codes where the value goes below 0, UINT8 where it does not. A pair with
//   signed codes stays behind a Concat.
// * Why: with another zero point, 128 too, the first two run in float; with the third the model does not compile
//   ("cannot be broadcasted"). Signed codes of values that are nowhere negative are wrong in front of a Concat on CPUs
//   with VNNI.
// * Change it: no option.
// * Source: OpenVINO 2026.4.1, CPU plugin, asked in November 2026.
// * Networks: models/occupancy3d, models/style_starry_night, exports/tcn1d.

#include "place/draft/certain_shapes.h"
#include "place/draft/flow.h"
#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

constexpr int64_t kLast = -1;

// Returns the axis counted from the front; from the end where the rank is not known.
int64_t from_front(const GraphFacts& facts, CertainShapes& shapes, MaybeValue value, int64_t axis) {
  if (axis >= 0) return axis;
  if (const std::optional<size_t> rank = facts.find_rank(value)) return axis + static_cast<int64_t>(*rank);
  const auto shape = shapes.of(value);
  return shape ? axis + std::ssize(*shape) : axis;
}

// True when a Concat puts together what the product multiplies, on another axis than the one that it sums over.
bool multiplies_joined_rows(const GraphFacts& facts, const PlacementDraft& draft, const Node& product, int slot) {
  CertainShapes shapes(facts);
  MaybeValue value = product.input(slot);
  int64_t summed = slot == 0 ? kLast : kLast - 1;
  if (facts.kind(product.id) == OpKind::Gemm && product.int_or(slot == 0 ? "transA" : "transB", 0) != 0)
    summed = slot == 0 ? kLast - 1 : kLast;
  while (const Node* node = value ? facts.producer(value) : nullptr) {
    summed = from_front(facts, shapes, value, summed);
    const OpKind kind = facts.kind(node->id);
    if (is_data_concat(facts, draft, node->id))
      return from_front(facts, shapes, value, node->int_or("axis", 1)) != summed;
    if (kind == OpKind::Transpose) {
      const std::vector<int64_t> axes = node->ints_or("perm", {});
      if (summed < 0 || summed >= std::ssize(axes)) return false;
      summed = axes[static_cast<size_t>(summed)];
    } else if (!is_fusable_activation(kind) && !is_constant_affine(facts, node->id)) {
      return false;
    }
    value = is_constant_affine(facts, node->id) ? varying_input(facts, node->id) : facts.data_input(node->id);
  }
  return false;
}

bool wants_zero_point_0(const GraphFacts& facts, const PlacementDraft& draft, const Node& node, int slot) {
  switch (facts.kind(node.id)) {
    case OpKind::ConvTranspose: return true;
    case OpKind::MatMul: return !facts.is_weighted(node.id) || multiplies_joined_rows(facts, draft, node, slot);
    case OpKind::Gemm: return multiplies_joined_rows(facts, draft, node, slot);
    default: return false;
  }
}

// Runs before pairs move up through copies, so that each slot still shows its pair.
void share_symmetric(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    for (const int slot : facts.data_slots(node.id)) {
      if (!draft.is_pair(node.id, slot) || !wants_zero_point_0(facts, draft, node, slot)) continue;
      draft.make_symmetric(*node.input(slot));
      draft.explain_pairs(*node.input(slot), facts.describe(node.id) + " wants zero point 0");
    }
}

}  // namespace

constinit const Rule kSymmetric{.name = {"V3", "symmetric", kOpenVinoPlugin}, .share = share_symmetric};

}  // namespace detent::rules::openvino
