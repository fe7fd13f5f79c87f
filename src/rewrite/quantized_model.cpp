#include "rewrite/quantized_model.h"

#include "rewrite/dynamic_product.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/tied_codes.h"

namespace detent {

Model quantized_model(const Model& model, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                      const RewriteOptions& format, const GraphPatch& biases, WeightMemo* memo) {
  Model variant = model.clone();
  if (!biases.empty()) apply_patch(variant, biases);
  const Graph& graph = biases.empty() ? model.graph() : variant.graph();  // the same; a copy would be indexed again
  GraphPatch replaced;
  replaced.reason = "take out the products that others stand for";
  replaced.remove_nodes = replaced_products(graph, plan);
  const std::vector<TiedTable> tied = find_tied_tables(graph, plan);
  apply_patch(variant, make_qdq_patch(graph, plan, ranges, format, memo).patch);
  if (!replaced.empty()) apply_patch(variant, replaced);
  if (const GraphPatch shared = share_tied_codes(variant.graph(), tied); !shared.empty()) apply_patch(variant, shared);
  return variant;
}

}  // namespace detent
