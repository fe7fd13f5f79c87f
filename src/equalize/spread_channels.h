#pragma once

#include <optional>
#include <vector>

#include "model/graph/value_shapes.h"

namespace detent {

/// Channels of `root` in a value made of it by moving elements, over any of its axes, as behind the Reshape that splits
/// heads: element [i0, i1, ...] belongs to channel offset + tables[0][i0] + tables[1][i1] + ... of the root. An axis
/// that does not tell channels apart has a table of zeros.
struct SpreadChannels {
  ValueId root{};
  int64_t offset = 0;
  std::vector<std::vector<int64_t>> tables;  ///< by axis of the value

  /// Returns the channels of a value that has them along one axis: its own.
  [[nodiscard]] static SpreadChannels of(ValueId value, const Shape& shape, size_t axis);

  /// Returns every channel that the value holds, ascending.
  [[nodiscard]] std::vector<int64_t> channels() const;
  /// Returns the channel at each index of `axis`; nullopt where another axis tells channels apart.
  [[nodiscard]] std::optional<std::vector<int64_t>> along(size_t axis) const;
};

/// Returns the channels behind a node that moves elements: Reshape, Transpose, Slice, Split, Gather, Expand, Tile, all
/// with constant operands. nullopt for other nodes, without shapes, and for a Reshape that cuts runs of channels apart.
[[nodiscard]] std::optional<SpreadChannels> moved(const Graph& graph, const ValueShapes& shapes, const Node& node,
                                                  size_t output, SpreadChannels channels);

/// Returns the channels of weights x values: the product of matrices that attention ends with. Each output channel is a
/// weighted sum over one channel of the values. nullopt where the sum runs over several channels, and without shapes.
[[nodiscard]] std::optional<SpreadChannels> averaged(const ValueShapes& shapes, const Node& product,
                                                     SpreadChannels values);

}  // namespace detent
