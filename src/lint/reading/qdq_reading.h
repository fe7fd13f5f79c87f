#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/graph_patch.h"

namespace detent {

/// What the numbers behind a QuantizeLinear or DequantizeLinear are.
enum class QdqRole : uint8_t { Activation, Weight, Bias, Constant };

/// One QuantizeLinear or DequantizeLinear as the file has it.
struct QdqNode {
  std::string name;
  bool quantizes = false;  ///< false: DequantizeLinear
  QdqRole role = QdqRole::Activation;
  bool scale_constant = false;
  std::vector<float> scales;  ///< empty when the scale is computed at run time
  DataType scale_type = DataType::Undefined;
  bool has_zero_point = false;
  std::vector<int64_t> zero_points;  ///< empty when left out or computed at run time
  DataType codes = DataType::UInt8;  ///< type of the integers; UInt8 where nothing says (ONNX's default)
  std::optional<int64_t> axis;       ///< as written; ONNX reads 1 where it is missing
  bool int8_constant = false;        ///< a DequantizeLinear that reads an initializer of codes
  size_t data_rank = 0;              ///< of the constant that it reads; 0 when unknown
  size_t readers = 0;                ///< readings of its output
  size_t dequantizers = 0;           ///< QuantizeLinear: how many of those are DequantizeLinear
  size_t shape_readers = 0;          ///< how many of its readings ask for its shape only
  bool writes_graph_output = false;
  [[nodiscard]] bool per_channel() const { return scales.size() > 1; }
};

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
};

/// The quantization found in a model, and the patch that takes it away.
///
/// Behind the patch the graph computes with floats: edges read the value that the pair stood on, quantized weights are
/// float constants again (all 0 where the file has codes only: their shape is what placement looks at), copies of codes
/// (Reshape between Q and DQ) are copies of floats. A graph output behind a pair is written by an Identity of the
/// DequantizeLinear's name. What cannot be taken away stays: an INT8 graph input's DequantizeLinear, codes read by
/// integer operators. Node names are those of the file.
struct QdqReading {
  std::vector<QdqNode> nodes;
  std::vector<QuantizedOperand> operands;
  GraphPatch float_patch;
};

/// Reads every QuantizeLinear and DequantizeLinear of the main graph. No pairs -> an empty reading.
[[nodiscard]] QdqReading read_qdq(const Graph& graph);

}  // namespace detent
