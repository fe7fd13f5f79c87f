#pragma once

#include <string>
#include <vector>

#include "detent/options/code_type.h"
#include "lint/reading/qdq_node.h"
#include "model/graph_patch.h"

namespace detent {

/// An input slot that reads quantized data. Indices refer to QdqReading::nodes.
struct QuantizedOperand {
  std::string node;  ///< consumer
  int slot = 0;
  int quantize = -1;      ///< -1: the codes are a constant, a graph input or written by an integer operator
  int dequantize = -1;    ///< -1: the consumer reads codes
  bool constant = false;  ///< a weight, a bias or another constant
  /// Axis of the DequantizeLinear's data for each axis of the consumer's input, when a Transpose stands between. Empty:
  /// they are equal.
  std::vector<size_t> axes;
  bool cast = false;  ///< a Cast of the codes to another type stands inside the pair
  int first = -1;     ///< QuantizeLinear that reads the value itself: another one than `quantize` behind a first pair
};

/// A node that computes with the codes of a QuantizeLinear, or gives them to others than the DequantizeLinear behind
/// it: the two are no pair, and stay.
struct ComputedCodes {
  std::string node, op;
  int dequantize = -1;  ///< index into QdqReading::nodes
};

/// The quantization of a model, and the patch that removes it.
///
/// After the patch the graph computes with floats: edges read the value before the pair, quantized weights are float
/// constants again (zeros when the file has only codes: placement needs their shape), copies of codes (Reshape, Split,
/// or a Concat of equal grids between Q and DQ) are copies of floats, and Casts and Clips of codes are gone:
/// QdqNode::clipped. A Cast stands for a pair that changes the type. An Identity (or Cast) with the name of
/// the DequantizeLinear writes a graph output behind a pair, or what bodies of If and Loop read through it. Parts that
/// cannot be removed stay: an INT8 graph input's DequantizeLinear, codes that operators compute with, constants that
/// bodies read. Node names are those of the file.
struct QdqReading {
  std::vector<QdqNode> nodes;
  std::vector<QuantizedOperand> operands;
  std::vector<ComputedCodes> computed;
  GraphPatch float_patch;

  /// Returns FP8 when more than half of the nodes, without biases, hold float8e4m3fn.
  [[nodiscard]] CodeType type() const;
};

/// Reads every QuantizeLinear and DequantizeLinear of the main graph. No pairs -> an empty reading.
[[nodiscard]] QdqReading read_qdq(const Graph& graph);

}  // namespace detent
