#pragma once

#include <map>
#include <string>

#include "model/graph/graph.h"

namespace detent {

/// The pairs of a graph and the layers around them, as TensorRT fuses them. The graph must outlive it.
/// Source  layers of TensorRT 8.4 and 8.5 for ResNet-18, MobileNetV2 and a ResNet-18 detector (src/explain/README.md).
class PairWires {
 public:
  explicit PairWires(const Graph& graph) : graph_(graph) {}

  /// Returns why a quantizer stays a layer; "" where it does not.
  [[nodiscard]] std::string obstacle_of_quantizer(const Node& quantizer) const;
  /// Returns why a dequantizer stays a layer; "" where it does not.
  [[nodiscard]] std::string obstacle_of_dequantizer(const Node& dequantizer) const;
  /// Returns the Add whose shortcut has no pair, and which therefore keeps the quantized value float; nullptr without.
  [[nodiscard]] const Node* float_shortcut(const Node& quantizer) const;

  /// True for a weighted operator whose data comes from a dequantizer.
  [[nodiscard]] bool reads_codes(const Node& product) const;
  /// True where the layer around a weighted operator that reads codes writes codes too.
  [[nodiscard]] bool closes_with_codes(const Node& product) const;
  /// True for a pair of an activation: weights and biases are constants.
  [[nodiscard]] bool is_constant(const Node& node) const;
  /// True for what a dequantizer writes, also behind copies: TensorRT moves it behind them.
  [[nodiscard]] bool is_dequantized(MaybeValue value) const;
  /// Returns the quantizer of the codes that a dequantizer reads, also in front of copies, Clips and Casts of codes;
  /// nullptr without.
  [[nodiscard]] const Node* quantizer_of(const Node& dequantizer) const;
  /// Returns the node that writes a value; nullptr for inputs, constants and kNoValue.
  [[nodiscard]] const Node* producer(MaybeValue value) const;

  /// Returns the first reader that wants floats; nullptr where all take codes. A quantizer behind a MaxPool or Concat
  /// moves in front of it.
  [[nodiscard]] const Node* float_reader(MaybeValue value) const;
  /// Returns the node behind a value that may be part of the same layer: the only reader, or the Mul of x * Sigmoid(x);
  /// nullptr where other layers or the network's output read the value.
  [[nodiscard]] const Node* part_behind(MaybeValue value) const;
  /// True where the layer that writes the value could write codes: it reads codes, or has a part in front that does.
  [[nodiscard]] bool writes_codes(MaybeValue value) const;

 private:
  [[nodiscard]] MaybeValue gated_value(const Node& node) const;
  [[nodiscard]] bool is_dequantized(ValueId value, int left) const;
  [[nodiscard]] bool others_are_codes(const Node& node, MaybeValue value) const;
  [[nodiscard]] const Node* float_reader(ValueId value, int left) const;
  [[nodiscard]] const Node* find_float_reader(ValueId value, int left) const;
  [[nodiscard]] bool writes_codes(ValueId value, int left) const;
  [[nodiscard]] bool find_codes(ValueId value, int left) const;
  [[nodiscard]] std::string obstacle_behind(ValueId value, int left) const;
  [[nodiscard]] std::string find_obstacle(ValueId value, int left) const;
  [[nodiscard]] std::string obstacle_of_output(const Node& node) const;
  [[nodiscard]] const Node* shortcut_in_front(MaybeValue value) const;

  const Graph& graph_;
  mutable std::map<ValueId, const Node*> float_readers_;
  mutable std::map<ValueId, bool> codes_, dequantized_;
  mutable std::map<ValueId, std::string> obstacles_;
};

/// True for an operator with weights, whose kernel reads codes and writes codes or floats.
[[nodiscard]] bool is_product(const Node& node);
/// True for an operator that becomes part of the weighted layer in front of it.
[[nodiscard]] bool is_epilogue(const Node& node);
/// True for an operator across which TensorRT moves pairs.
[[nodiscard]] bool moves_pairs(const Node& node);
[[nodiscard]] bool quantizes(const Node& node);
[[nodiscard]] bool takes_apart(const Node& node);

}  // namespace detent
