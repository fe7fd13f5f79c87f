#pragma once

#include <memory>
#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// The weighted ops that read each value through commuting ops, Concats and activations.
class LayerReaders {
 public:
  /// Most layers kept for a value, the first ones in execution order, to bound memory.
  static constexpr size_t kMost = 256;

  /// Visits every node once; keeps no reference to its arguments.
  LayerReaders(const GraphFacts& facts, const PlacementDraft& draft);

  /// Returns the layers in execution order, each once; empty when no layer reads the value.
  [[nodiscard]] const std::vector<NodeId>& of(MaybeValue value) const;

 private:
  using Layers = std::shared_ptr<const std::vector<NodeId>>;
  void add(ValueId value, const Layers& layers);

  ValueMap<Layers> by_value_;  ///< values with the same layers share them; nullptr: none
};

}  // namespace detent
