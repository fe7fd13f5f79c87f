#pragma once

#include <string>
#include <vector>

#include "detent/options/code_type.h"
#include "lint/reading/qdq_node.h"
#include "model/graph_patch.h"

namespace detent {

/// An input slot that reads quantized data. Indices go into QdqReading::nodes.
struct QuantizedOperand {
  std::string node;  ///< consumer
  int slot = 0;
  int quantize = -1;      ///< -1: the codes are a constant, a graph input or written by an integer operator
  int dequantize = -1;    ///< -1: the consumer reads codes
  bool constant = false;  ///< a weight, a bias or another constant
  /// Axis of the DequantizeLinear's data for each axis of what the consumer reads: a Transpose may stand between.
  /// Empty: they are the same.
  std::vector<size_t> axes;
  bool cast = false;  ///< a Cast of the codes to another type stands between QuantizeLinear and DequantizeLinear
};

/// The quantization found in a model, and the patch that takes it away.
///
/// Behind the patch the graph computes with floats: edges read the value that the pair stood on, quantized weights are
/// float constants again (all 0 where the file has codes only: their shape is what placement looks at), copies of codes
/// (Reshape between Q and DQ) are copies of floats, and Casts of codes to other integers are gone. A graph output
/// behind a pair is written by an Identity of the DequantizeLinear's name. What cannot be taken away stays: an INT8
/// graph input's DequantizeLinear, codes read by integer operators. Node names are those of the file.
struct QdqReading {
  std::vector<QdqNode> nodes;
  std::vector<QuantizedOperand> operands;
  GraphPatch float_patch;

  /// FP8 where more than half of the nodes, biases left out, hold float8e4m3fn.
  [[nodiscard]] CodeType type() const;
};

/// Reads every QuantizeLinear and DequantizeLinear of the main graph. No pairs -> an empty reading.
[[nodiscard]] QdqReading read_qdq(const Graph& graph);

}  // namespace detent
