#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// A flaw of a written file.
struct Flaw {
  std::string node;  ///< "QuantizeLinear 'x_QuantizeLinear'"
  std::string what;
};

/// Scale and zero point of a QuantizeLinear or DequantizeLinear in the file. nullptr: not constant or left out.
struct WrittenGrid {
  const Tensor* scale = nullptr;
  const Tensor* zero_point = nullptr;
  int64_t axis = 0;
  bool has_axis = false;
};

/// A pair: source --> (Cast) --> QuantizeLinear --> DequantizeLinear --> (Cast) --> result, or constant codes before
/// the DequantizeLinear.
struct WrittenPair {
  MaybeNode quantize;  ///< kNoNode: the codes are a constant
  NodeId dequantize{};
  MaybeValue source;  ///< the quantized value; kNoValue when the codes are constant
  ValueId codes{};
  ValueId result{};  ///< the value that readers read
  MaybeNode cast;    ///< between the source and the QuantizeLinear
  WrittenGrid grid;  ///< of the DequantizeLinear
};

/// The pairs of a graph, found by following the file's nodes.
class WrittenPairs {
 public:
  /// original  names of the values of the planned graph: a Cast that writes one of them belongs to no pair
  /// alone     names of the values that a QuantizeLinear or DequantizeLinear of the planned graph writes, which belongs
  ///           to no pair either
  WrittenPairs(const Graph& graph, const std::set<std::string>& original, const std::set<std::string>& alone);

  [[nodiscard]] const std::vector<WrittenPair>& pairs() const { return pairs_; }
  /// Returns every QuantizeLinear without DequantizeLinear, DequantizeLinear of a value that was not quantized, and
  /// pair of two grids.
  [[nodiscard]] const std::vector<Flaw>& flaws() const { return flaws_; }
  /// Returns the index into pairs() of the pair that writes the value; -1 when none does.
  [[nodiscard]] int find_by_result(MaybeValue value) const;
  /// True when the node is part of a pair: Q, DQ or a Cast to or from the scale's type.
  [[nodiscard]] bool owns(NodeId node) const { return owned_.contains(node); }

 private:
  void follow(const Node& dequantize);
  void check_quantize(const Node& quantize);
  [[nodiscard]] const Node* added_cast(MaybeNode node) const;

  const Graph& graph_;
  const std::set<std::string>& original_;
  std::vector<WrittenPair> pairs_;
  std::vector<Flaw> flaws_;
  std::map<ValueId, int> by_result_;
  std::set<NodeId> owned_;
};

[[nodiscard]] WrittenGrid grid_of(const Graph& graph, const Node& node);
/// True for the same numbers as scales, whatever their float types, and the same zero points.
[[nodiscard]] bool same_grid(const WrittenGrid& a, const WrittenGrid& b);
/// Returns "Conv 'conv1'".
[[nodiscard]] std::string describe(const Node& node);

}  // namespace detent
