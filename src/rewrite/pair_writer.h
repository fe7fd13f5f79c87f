#pragma once

#include <string>

#include "detent/base/qparams.h"
#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent {

/// Adds the parts of pairs to a patch: constants, QuantizeLinear, DequantizeLinear and casts.
///
/// Added values and nodes are called WISH_scale, WISH_quantized ..., with a number behind it where the graph or the
/// patch has that name.
class PairWriter {
 public:
  PairWriter(const Graph& graph, GraphPatch& patch) : graph_(graph), patch_(patch), names_(graph) {}

  /// Scale and zero point as constants of the graph.
  struct Grid {
    std::string scale, zero_point;
    int64_t axis;
    DataType scale_type;
  };

  /// A name that neither the graph nor the patch has.
  std::string fresh(const std::string& wish) { return names_.fresh(wish); }
  std::string add_constant(const std::string& wish, Tensor tensor);
  /// Scalars for one scale, 1-D for one per channel.
  Grid add_grid(const std::string& wish, const QParams& qparams, DataType scale_type);
  /// The same grid with its scale in another type; the number is representable in both.
  Grid in_type(const Grid& grid, const std::string& wish, const QParams& qparams, DataType scale_type);
  /// Returns the value that holds the codes. A source whose type is not the scale's is cast first.
  std::string add_quantize(const std::string& wish, std::string source, const Grid& grid, DataType type);
  /// `result` becomes the real numbers, in `type`: cast where the scale has another.
  void add_dequantize(const std::string& wish, const std::string& codes, const std::string& result, const Grid& grid,
                      DataType type);
  /// The node reads another value from now on.
  void read(NodeId node, int slot, const std::string& value);

 private:
  const Graph& graph_;
  GraphPatch& patch_;
  NameSource names_;
};

}  // namespace detent
