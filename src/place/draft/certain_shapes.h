#pragma once

#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "place/draft/graph_facts.h"

namespace detent {

/// The shapes that a graph fixes, whatever its inputs.
///
/// Declared shapes count first. Some exporters declare every value and others only inputs and outputs, so other shapes
/// follow from the operators, up to declared values: layers, pooling, norms, activations, arithmetic, Resize and data
/// movement.
/// Other operators leave the shape open.
class CertainShapes {
 public:
  using Extents = std::vector<int64_t>;  ///< -1 where the graph leaves one open

  /// facts  must outlive this object
  explicit CertainShapes(const GraphFacts& facts) : facts_(facts) {}

  /// Returns nullopt when not even the rank is known.
  std::optional<Extents> of(MaybeValue value);
  /// Returns the integers of a value that holds shapes or axes, kOpen for one that depends on the inputs; nullopt when
  /// not even their count is known. Exporters compute shapes with Shape, Gather, Concat, Where and arithmetic.
  std::optional<Extents> numbers(MaybeValue value);
  static constexpr int64_t kOpen = std::numeric_limits<int64_t>::min();

 private:
  /// Most values on the way up to a declared one; a longer walk would need too much stack.
  static constexpr int kDeepest = 4000;
  using Known = std::optional<Extents>;

  Known find(ValueId value);
  Known behind(const Node& node);
  Known behind_conv(const Node& node);
  Known behind_gemm(const Node& node);
  Known behind_product(const Node& node);
  Known reduced(const Node& node);
  Known reshaped(const Node& node);
  Known sliced(const Node& node);
  Known joined(const Node& node);
  Known padded(const Node& node);
  Known resized(const Node& node);
  Known transposed(const Node& node);
  Known gathered(const Node& node);
  Known expanded(const Node& node);
  /// Returns the numbers of an attribute or, since some opset, of an input; nullopt when they are left out or their
  /// count is open.
  Known numbers(const Node& node, const char* attribute, size_t slot);
  Known find_numbers(ValueId value);
  Known numbers_behind(const Node& node);

  const GraphFacts& facts_;
  std::map<ValueId, Known> known_, numbers_;
  int depth_ = 0;
};

}  // namespace detent
