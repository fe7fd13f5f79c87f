#pragma once

#include <string>
#include <vector>

#include "core/float_type.h"
#include "rewrite/pair_writer.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// The state that the parts of one rewriting share.
struct RewriteContext {
  const Graph& graph;
  const PlacementPlan& plan;
  const RewriteOptions& options;
  std::vector<DataType> types;  ///< floating-point type by value id
  Rewrite& result;
  PairWriter writer;           ///< into result.patch
  WeightMemo* memo = nullptr;  ///< of other plans of the graph

  [[nodiscard]] const std::string& name(ValueId id) const { return graph.value(id).name; }
  [[nodiscard]] DataType type_of(ValueId id) const { return types[static_cast<size_t>(id)]; }
  [[nodiscard]] DataType scale_type(ValueId id) const {
    return is_half(type_of(id)) && options.half_scales ? type_of(id) : DataType::Float32;
  }
};

}  // namespace detent
