#pragma once

#include "model/graph/graph.h"

namespace detent {

/// Returns the Pad that ONNX Runtime merges into the convolution that reads it; nullptr when there is none: the Pad
/// must be read by it alone, add zeros behind and in front of the spatial axes (no axes given, none cut), and the
/// convolution must write out its own padding.
/// Source  onnxruntime 1.30, core/optimizer/pad_fusion.cc, and tried with 20 forms.
[[nodiscard]] const Node* merged_pad(const Graph& graph, const Node& convolution);

}  // namespace detent
