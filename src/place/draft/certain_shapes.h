#pragma once

#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "place/draft/draft.h"

namespace detent {

/// The shapes that a graph fixes whatever it is fed with.
///
/// What the file declares counts first. One exporter declares every value and another only inputs and outputs, so what
/// is not declared is followed from the operators up to values that are: layers, pooling, norms, activations and
/// arithmetic, and what moves data. Other operators leave the shape open.
class CertainShapes {
 public:
  using Extents = std::vector<int64_t>;  ///< -1 where the graph leaves one open

  /// The draft must outlive this.
  explicit CertainShapes(const PlacementDraft& draft) : draft_(draft) {}

  /// nullopt where not even the rank is known.
  std::optional<Extents> of(ValueId value);
  /// The integers in a value that holds shapes or axes, kOpen where one depends on what the graph is fed with; nullopt
  /// where not even their count is known. Exporters compute shapes with Shape, Gather, Concat, Where and arithmetic.
  std::optional<Extents> numbers(ValueId value);
  static constexpr int64_t kOpen = std::numeric_limits<int64_t>::min();

 private:
  /// Values on the way up to a declared one, beyond which the walk would need too much stack.
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
  Known transposed(const Node& node);
  Known gathered(const Node& node);
  Known expanded(const Node& node);
  /// Numbers of an attribute or, since some opset, of an input; nullopt when they are left out or their count is open.
  Known numbers(const Node& node, const char* attribute, size_t slot);
  Known find_numbers(ValueId value);
  Known numbers_behind(const Node& node);

  const PlacementDraft& draft_;
  std::map<ValueId, Known> known_, numbers_;
  int depth_ = 0;
};

}  // namespace detent
