#include "place/engines/rknn/npu_nodes.h"

#include "ops/traits.h"
#include "place/draft/decoding.h"
#include "place/engines/qnn/qnn_units.h"

namespace detent {

namespace {

// True for what an activation or a mean of a layer is: the compiler runs the former in the layer, and refuses the
// latter in floats behind codes.
bool belongs_to_layer(const GraphFacts& facts, const Node& node) {
  switch (facts.kind(node.id)) {
    case OpKind::Relu:
    case OpKind::Clip: {
      const Node* before = facts.producer(node.input(0));
      return before && facts.is_weighted(before->id);
    }
    case OpKind::AveragePool:
    case OpKind::GlobalAveragePool:
    case OpKind::ReduceMean: return true;
    default: return false;
  }
}

}  // namespace

bool runs_on_npu(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (!is_unit(facts, draft, node) || is_recurrent(node) || facts.is_foreign(node.id)) return false;
  return facts.is_weighted(node.id) || belongs_to_layer(facts, node) || !is_decoding(draft, node.id);
}

}  // namespace detent
