#pragma once

#include <memory>
#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// The weighted ops that read each value through commuting ops, Concats and activations.
class LayerReaders {
 public:
  /// As many layers as are kept for a value, the first ones in execution order: without a bound, values x layers.
  static constexpr size_t kMost = 256;

  /// Looks at every node once; keeps nothing of `draft`.
  explicit LayerReaders(const PlacementDraft& draft);

  /// In execution order, each once; empty where no layer reads the value.
  [[nodiscard]] const std::vector<NodeId>& of(ValueId value) const;

 private:
  using Layers = std::shared_ptr<const std::vector<NodeId>>;
  void add(ValueId value, const Layers& layers);

  ValueMap<Layers> by_value_;  ///< values with the same layers share them; nullptr: none
};

}  // namespace detent
