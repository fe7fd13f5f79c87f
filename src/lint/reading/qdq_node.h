#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detent/base/qparams.h"
#include "model/graph/graph.h"

namespace detent {

/// The kind of numbers that a QuantizeLinear or DequantizeLinear passes on.
enum class QdqRole : uint8_t { Activation, Weight, Bias, Constant };

/// A QuantizeLinear or DequantizeLinear of the file.
struct QdqNode {
  std::string name;
  bool quantizes = false;  ///< false: DequantizeLinear
  QdqRole role = QdqRole::Activation;
  bool scale_constant = false;
  std::vector<float> scales;  ///< empty when the scale is computed at run time
  DataType scale_type = DataType::Undefined;
  bool scalar = true;  ///< no constant scale or zero point has an axis: not even the shape [1]
  bool has_zero_point = false;
  std::vector<int64_t> zero_points;  ///< empty when left out or computed at run time
  DataType codes = DataType::UInt8;  ///< type of the integers; UInt8 when unspecified (ONNX's default)
  /// The codes that a Clip between QuantizeLinear and DequantizeLinear leaves, where it leaves out some: PyTorch's
  /// reduce_range, or fewer than 8 bits.
  std::optional<CodeRange> clipped;
  std::optional<int64_t> axis;   ///< as written; ONNX assumes 1 when it is missing
  bool int8_constant = false;    ///< a DequantizeLinear that reads an initializer of codes
  int64_t block = 0;             ///< numbers under one scale along the axis; 0: no blocks
  std::vector<int64_t> extents;  ///< of the constant that it reads
  size_t readers = 0;            ///< readings of its output
  size_t dequantizers = 0;       ///< QuantizeLinear: readings by DequantizeLinear
  size_t shape_readers = 0;      ///< readings that need its shape only
  bool writes_graph_output = false;
  /// True for a constant in blocks or of 4 bits: a weight stored as integers whose layer computes in float.
  [[nodiscard]] bool is_weight_alone() const {
    return int8_constant && (block > 0 || codes == DataType::Int4 || codes == DataType::UInt4);
  }
  [[nodiscard]] bool per_channel() const { return scales.size() > 1; }
  /// Returns the codes that reach a reader.
  /// Errors  as code_range(), for codes that are no integers
  [[nodiscard]] CodeRange range() const { return clipped ? *clipped : code_range(codes); }
};

/// True for equal scales, zero points and types of codes: a code means the same number in both.
[[nodiscard]] bool same_grid(const QdqNode& a, const QdqNode& b);

/// True for a Clip with constant bounds. It is one of codes where a QuantizeLinear stands in front.
[[nodiscard]] bool clips_codes(const Graph& graph, const Node& node);

/// True when the codes are 8-bit floats.
[[nodiscard]] inline bool is_fp8(const QdqNode& node) { return node.codes == DataType::Float8E4M3FN; }

/// True when the codes are integers of 16 bits.
[[nodiscard]] inline bool is_wide(const QdqNode& node) {
  return node.codes == DataType::Int16 || node.codes == DataType::UInt16;
}

/// True for a QuantizeLinear or a DequantizeLinear.
[[nodiscard]] bool is_qdq(const Graph& graph, const Node& node);

/// Returns the constant of a value; nullptr also for constants of types that no Tensor holds.
[[nodiscard]] const Tensor* readable_constant(const Graph& graph, MaybeValue value);

/// Reads one QuantizeLinear or DequantizeLinear. Fields computed at run time stay empty.
/// Source  ONNX QuantizeLinear-13, -19, -21: the type of the codes is that of the zero point, else output_dtype, else
/// uint8.
[[nodiscard]] QdqNode describe_qdq(const Graph& graph, const Node& node);

}  // namespace detent
