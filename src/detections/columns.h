#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/graph/value_shapes.h"

namespace detent {

/// The meaning of numbers, by the operators that compute them.
enum class Meaning : uint8_t {
  Other,
  Raw,          ///< of a layer, not decoded
  Coordinates,  ///< arithmetic with anchors, strides or other numbers
  Scores,       ///< of a Sigmoid or Softmax
  Labels        ///< indices of a TopK or ArgMax
};

/// Neighbours along an axis with one meaning.
struct Columns {
  Meaning meaning = Meaning::Other;
  int64_t count = 0;
  MaybeNode source;  ///< the operator that gave them the meaning
  friend bool operator==(const Columns&, const Columns&) = default;
};

/// Follows values back through data movement to the operators that give their columns a meaning.
class ColumnTrace {
 public:
  /// Both must outlive this object.
  ColumnTrace(const Graph& graph, const ValueShapes& shapes) : graph_(graph), shapes_(shapes) {}

  /// Returns the columns of a value along an axis, in order; empty when nothing is known.
  [[nodiscard]] std::vector<Columns> along(MaybeValue value, int64_t axis);
  /// Returns the shape; nullptr where it is not known.
  [[nodiscard]] const Shape* shape_of(MaybeValue value) const;
  /// Returns the axis of a node's first input whose elements lie along `axis` of its result; nullopt for operators that
  /// do not only move data, and where an axis is selected or mixed.
  [[nodiscard]] std::optional<int64_t> source_axis(const Node& node, ValueId value, int64_t axis) const;
  /// Returns the TopK, ArgMax or NonMaxSuppression whose indices a value holds, also after integer arithmetic and
  /// movement of data; nullptr for other values.
  [[nodiscard]] const Node* index_source(MaybeValue value, int depth = 0) const;

 private:
  using List = std::vector<Columns>;

  [[nodiscard]] List find(const Node& node, ValueId value, int64_t axis);
  [[nodiscard]] List moved(const Node& node, ValueId value, int64_t axis);
  [[nodiscard]] List joined(const Node& node, int64_t axis);
  [[nodiscard]] List part_of(const Node& node, ValueId value, int64_t axis);
  [[nodiscard]] List computed(const Node& node, ValueId value, int64_t axis);
  /// Returns the constant, also where its codes are stored; nullptr: it is computed.
  [[nodiscard]] const Tensor* constant_behind_codes(MaybeValue value) const;
  /// Returns the one meaning of all numbers of a value, as columns of `count`.
  [[nodiscard]] List uniform(MaybeValue value, int64_t count);

  const Graph& graph_;
  const ValueShapes& shapes_;
  std::map<std::pair<ValueId, int64_t>, List> known_;
  int depth_ = 0;
};

}  // namespace detent
