#include "place/draft/qnn_units.h"

#include <algorithm>

#include "place/draft/float_layers.h"
#include "place/draft/flow.h"

namespace detent {
namespace {

bool is_norm(const PlacementDraft& draft, const Node& node) {
  switch (draft.kind(node.id)) {
    case OpKind::BatchNorm:
    case OpKind::LayerNorm:
    case OpKind::InstanceNorm:
    case OpKind::GroupNorm: return true;
    default: return node.op_type == "RMSNormalization";
  }
}

}  // namespace

bool reads_beside_units(const PlacementDraft& draft, NodeId node) {
  return draft.kind(node) == OpKind::Cast || draft.kind(node) == OpKind::ShapeOf;
}

bool holds_graphs(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

bool is_unit(const PlacementDraft& draft, const Node& node) {
  switch (draft.kind(node.id)) {
    case OpKind::Constant:
    case OpKind::QuantizeLinear:
    case OpKind::DequantizeLinear:
    case OpKind::QOperator:
    case OpKind::Sequence: return false;
    default: break;
  }
  if (is_recurrent(node) || draft.is_out(node.id) || reads_beside_units(draft, node.id) || holds_graphs(node))
    return false;
  const auto is_data = [&](ValueId value) { return value != kNoValue && draft.is_float(value); };
  return std::ranges::any_of(node.inputs, is_data) || std::ranges::any_of(node.outputs, is_data);
}

bool has_one_encoding(const PlacementDraft& draft, NodeId node) {
  return commutes(draft, node) || (draft.kind(node) == OpKind::Resize && !draft.is_out(node));
}

std::vector<int> norm_constants(const PlacementDraft& draft, const Node& node) {
  constexpr int kFactor = 1, kBias = 2;
  const auto is_number = [&](int slot) {
    const ValueId value = node.input(slot);
    return value != kNoValue && draft.is_float(value) && draft.graph().constant(value);
  };
  if (!is_norm(draft, node) || !is_number(kFactor)) return {};
  return is_number(kBias) ? std::vector{kFactor, kBias} : std::vector{kFactor};
}

}  // namespace detent
