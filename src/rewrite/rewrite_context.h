#pragma once

#include <string>
#include <vector>

#include "core/float_type.h"
#include "ops/traits.h"
#include "rewrite/pair_writer.h"
#include "rewrite/rewrite.h"
#include "rewrite/weight_memo.h"

namespace detent {

/// The state that the parts of one rewriting share.
struct RewriteContext {
  const Graph& graph;
  const PlacementPlan& plan;
  const RewriteOptions& options;
  ValueMap<DataType> types;
  Rewrite& result;
  PairWriter writer;           ///< into result.patch
  WeightMemo* memo = nullptr;  ///< shared with other plans of the graph

  [[nodiscard]] const std::string& name(ValueId id) const { return graph.value(id).name; }
  [[nodiscard]] DataType type_of(ValueId id) const { return types[id]; }
  [[nodiscard]] DataType scale_type(ValueId id) const {
    return is_half(type_of(id)) && options.half_scales ? type_of(id) : DataType::Float32;
  }
  /// Returns the value that the QuantizeLinear of a value reads: the input of a Cast between float types, if one writes
  /// the value. A Cast between a kernel and its QuantizeLinear would keep the kernel from writing INT8.
  /// Source: TensorRT's guide, "Q/DQ layer-placement recommendations": a QuantizeLinear is fused with the layer before
  /// it.
  [[nodiscard]] ValueId source_of(ValueId id) const;
};

inline ValueId RewriteContext::source_of(ValueId id) const {
  const Node* cast = graph.producer(id);
  if (!options.half_scales || !cast || graph.value(id).is_output || traits_of(graph, *cast).kind != OpKind::Cast)
    return id;
  const ValueId before = *cast->input(0);
  const bool moves =
      share_scales(type_of(before), type_of(id)) && !graph.value(before).is_constant && !graph.value(before).is_output;
  return moves ? before : id;
}

}  // namespace detent
