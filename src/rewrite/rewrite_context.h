#pragma once

#include <string>
#include <vector>

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
    const bool half = type_of(id) == DataType::Float16 || type_of(id) == DataType::BFloat16;
    return half && options.half_scales ? type_of(id) : DataType::Float32;
  }
};

}  // namespace detent
