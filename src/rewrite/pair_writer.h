#pragma once

#include <string>

#include "detent/base/qparams.h"
#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent {

/// Writer that adds the parts of pairs to a patch: constants, QuantizeLinear, DequantizeLinear and casts.
///
/// Added values and nodes are called WISH_scale, WISH_quantized ..., with a number appended when the name exists.
class PairWriter {
 public:
  PairWriter(const Graph& graph, GraphPatch& patch) : graph_(graph), patch_(patch), names_(graph) {}

  /// Scale and zero point as constants of the graph.
  struct Grid {
    std::string scale, zero_point;
    int64_t axis;
    DataType scale_type;
    std::string domain;  ///< of the operators: com.microsoft for 16-bit codes below opset 21, else ONNX's own
  };

  /// Returns a name that neither the graph nor the patch has.
  std::string fresh(const std::string& wish) { return names_.fresh(wish); }
  std::string add_constant(const std::string& wish, Tensor tensor);
  /// Adds scalars for one scale, 1-D constants for one per channel.
  Grid add_grid(const std::string& wish, const QParams& qparams, DataType scale_type);
  /// Returns the grid with its scale in another type; the number is representable in both.
  Grid in_type(const Grid& grid, const std::string& wish, const QParams& qparams, DataType scale_type);
  /// Returns the value that holds the codes. A source of another type than the scale's is cast first.
  std::string add_quantize(const std::string& wish, std::string source, const Grid& grid, DataType type);
  /// Makes `result` the real numbers in `type`, with a cast when the scale has another type.
  void add_dequantize(const std::string& wish, const std::string& codes, const std::string& result, const Grid& grid,
                      DataType type);
  /// Makes the node read another value.
  void read(NodeId node, int slot, const std::string& value);

 private:
  const Graph& graph_;
  GraphPatch& patch_;
  NameSource names_;
};

}  // namespace detent
