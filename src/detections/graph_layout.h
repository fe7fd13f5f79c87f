#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detections/layout.h"
#include "model/graph/value_shapes.h"

namespace detent {

/// True where an output has three axes, or none declared, or there are rows of four among three outputs: no other
/// network holds detections, or needs its shapes.
[[nodiscard]] bool may_hold_detections(const Graph& graph);

/// Recognizes a detector by what its outputs are computed from, not by names. Its forms are decoded boxes that meet
/// scores behind a Sigmoid or Softmax in a Concat, rows that TopK selects, two outputs of one query axis, and boxes,
/// scores and labels that NonMaxSuppression or TopK selects. Some input is an image or a map: sequence models have rows
/// of four, too. Pairs of codes in the file change nothing.
///
/// shapes  of one run; values without a shape are not followed
/// Returns nullopt for other networks, and for detectors of other forms: anchors of several scales in separate
///         outputs, heat maps, masks.
[[nodiscard]] std::optional<DetectionLayout> find_detections(const Graph& graph, const ValueShapes& shapes);

/// Returns the outputs with a shape. Outputs of an integer type, and indices of another type, are integers.
[[nodiscard]] std::vector<NamedShape> name_shapes(const Graph& graph, const ValueShapes& shapes);

/// A part of an output whose numbers have one meaning: [first, first + count) of an axis.
struct OutputBlock {
  std::string output;
  int64_t axis = 1, first = 0, count = 0;
  bool scores = false;  ///< of a Sigmoid or Softmax
};

/// Returns the parts of outputs that are joined from numbers of different meaning (coordinates, scores, labels, raw
/// numbers of a layer); none of other outputs.
[[nodiscard]] std::vector<OutputBlock> find_blocks(const Graph& graph, const ValueShapes& shapes);

}  // namespace detent
