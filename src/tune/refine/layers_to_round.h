#pragma once

#include <map>
#include <vector>

#include "detent/base/qparams.h"
#include "model/graph/graph.h"
#include "place/plan/placement_plan.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"
#include "tune/refine/layer_matrix.h"

namespace detent {

/// A weight that may be rounded, and every layer that reads it.
struct RoundedWeight {
  ValueId value = kNoValue;
  struct Reader {
    WeightDecision decision;
    ValueId input = kNoValue;
    std::optional<QParams> grid;  ///< of the pair on the input; none: it is read as a float
  };
  std::vector<Reader> readers;  ///< their matrices are alike
  LayerMatrix matrix;
  int axis = -1;  ///< of its scales
  WeightOptions options;
  QuantizedWeight nearest;
};

/// Weights whose readers are all quantized, along one axis and with one set of scales; their inputs can run; no more
/// than `most_columns` columns. In the order of the plan.
/// Errors  those of make_qdq_patch.
[[nodiscard]] std::vector<RoundedWeight> weights_to_round(const Graph& graph, const PlacementPlan& plan,
                                                          const std::map<ValueId, Range>& ranges,
                                                          const RewriteOptions& format, int64_t most_columns);

}  // namespace detent
