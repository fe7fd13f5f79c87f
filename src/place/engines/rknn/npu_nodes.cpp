#include "place/engines/rknn/npu_nodes.h"

#include "ops/traits.h"
#include "place/draft/decoding.h"
#include "place/engines/qnn/qnn_units.h"

namespace detent {

bool runs_on_npu(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (!is_unit(facts, draft, node) || is_recurrent(node) || facts.is_foreign(node.id)) return false;
  return facts.is_weighted(node.id) || !is_decoding(draft, node.id);
}

}  // namespace detent
