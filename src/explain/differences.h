#pragma once

#include <vector>

#include "detent/explain.h"

namespace detent {

/// Compares two engines of one network. Layers belong together where they hold a common ONNX node that is no quantizer;
/// they differ where they hold other operators, compute in another type or write another one. Numbered nodes (Conv_22)
/// of versions before 8.6 change with every pair: the weights in the layer's name count instead. Empty  layers without
/// nodes belong to none and are left out.
[[nodiscard]] ExplainReport::Against compare_layers(const std::vector<ExplainReport::Layer>& rows,
                                                    const std::vector<ExplainReport::Layer>& other);

}  // namespace detent
