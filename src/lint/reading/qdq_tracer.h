#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/onnx_type.h"
#include "lint/reading/qdq_node.h"
#include "ops/traits.h"

namespace detent {

/// The origin of a value once the pairs are removed.
struct Trace {
  ValueId source{};
  int quantize = -1, dequantize = -1;
  bool constant = false;
  bool cast = false;                  ///< see QuantizedOperand
  int first = -1;                     ///< see QuantizedOperand
  std::vector<size_t> axes = {};      ///< see QuantizedOperand
  DataType type = DataType::Float32;  ///< type of the floats that a constant of codes represents
  [[nodiscard]] bool quantized() const { return quantize >= 0 || dequantize >= 0; }
};

/// The owner of a Cast in front of a QuantizeLinear.
enum class CastInFront : uint8_t { OfModel, OfPair };

/// Follows values of a graph through its pairs, up to what they stand for. Answers are kept.
class QdqTracer {
 public:
  /// graph  outlives this object
  explicit QdqTracer(const Graph& graph);

  /// The QuantizeLinear and DequantizeLinear of the graph, in execution order.
  [[nodiscard]] const std::vector<QdqNode>& nodes() const { return nodes_; }

  [[nodiscard]] OpKind kind(const Node& node) const { return traits_of(graph_, node).kind; }
  [[nodiscard]] bool is(const Node* node, OpKind wanted) const { return node && kind(*node) == wanted; }
  [[nodiscard]] const Node* producer(MaybeValue value) const { return graph_.producer(value); }
  [[nodiscard]] int index(const Node& node) const { return index_[node.id]; }  ///< into nodes()
  [[nodiscard]] const Tensor* constant(MaybeValue value) const { return readable_constant(graph_, value); }
  /// True for an operator whose output, of codes or floats, holds elements of its input. Codes stand for other numbers
  /// behind a Pad with another code than their zero point.
  [[nodiscard]] bool copies(const Node& node) const { return keeps_elements(traits_of(graph_, node)); }
  [[nodiscard]] bool joins(const Node& node) const { return kind(node) == OpKind::Concat; }
  /// True for a copy of codes that is one of floats where the pair is taken away.
  [[nodiscard]] bool copies_codes(const Node& node) const {
    return top_of_codes(node.output(0)) && (copies(node) || joins(node));
  }

  /// Returns a QuantizeLinear whose codes `value` holds, possibly behind copies, Concats, Casts and Clips of codes;
  /// nullptr when there is none, when the codes of a Concat have several meanings, or when other nodes than those and
  /// DequantizeLinear read the codes on the way.
  [[nodiscard]] const Node* top_of_codes(MaybeValue value) const;
  /// True for a DequantizeLinear of a constant or of a whole pair: readers can read what it stands for.
  [[nodiscard]] bool is_whole(const Node& dequantize) const;
  /// Goes up through Transposes, composing `axes`.
  ValueId climb_transposes(ValueId value, std::vector<size_t>& axes) const;
  [[nodiscard]] Trace trace_codes(ValueId codes, CastInFront cast) const;
  /// Returns the origin of `value` once the pairs are removed: the value, not quantized, when no DequantizeLinear
  /// writes it. Results are kept and nodes are read in execution order, so a chain of pairs is never followed beyond
  /// the previous pair.
  [[nodiscard]] const Trace& trace_value(ValueId value) const;

 private:
  /// True when copies, Concats, Casts and Clips of codes and DequantizeLinear alone read the codes, here and behind
  /// such nodes.
  [[nodiscard]] bool only_dequantized(ValueId codes) const;
  static DataType cast_to(const Node& cast) { return data_type_from_onnx(cast.int_or("to", 1)); }
  /// True for a Cast to integers.
  [[nodiscard]] bool casts_codes(const Node& node) const;
  /// True for a part of a pair that no float graph has.
  [[nodiscard]] bool changes_codes(const Node& node) const { return casts_codes(node) || clips_codes(graph_, node); }
  /// Returns the value before the Casts and Clips that write `codes`.
  [[nodiscard]] ValueId before_changes(ValueId codes) const;
  [[nodiscard]] const Node* find_top(ValueId value) const;
  [[nodiscard]] const QdqNode& pair(const Node& node) const { return nodes_[static_cast<size_t>(index(node))]; }
  /// True for a Clip of codes that leaves 0 as it is. A range without 0 is none of a pair.
  [[nodiscard]] bool leaves_zero(const Node& clip, const Node& top) const;
  /// True for a Pad whose code stands for 0. read_copy() gives it a 0 of floats.
  [[nodiscard]] bool pads_with_zero_point(const Node& pad, const Node& top) const;
  [[nodiscard]] ValueId transposed_from(ValueId value) const;
  /// True when a Cast changes the type of the codes; a Cast to the same type does not disturb an engine.
  [[nodiscard]] bool has_cast(ValueId codes, const Node& top) const;
  [[nodiscard]] Trace trace_anew(ValueId value) const;

  const Graph& graph_;
  std::vector<QdqNode> nodes_;
  NodeMap<int> index_;
  mutable std::map<ValueId, Trace> traces_;  // of trace_value()
  mutable std::map<ValueId, bool> only_dequantized_;
  mutable std::map<ValueId, const Node*> tops_;
};

}  // namespace detent
