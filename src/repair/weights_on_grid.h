#pragma once

#include <optional>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// Returns the scale of each channel of a float weight whose numbers are INT8 codes times scales, exactly: training
/// rounded them, and the exporter folded the pair into the constant (tf2onnx does). nullopt for other numbers. A
/// channel of zeros has scale 0. axis  the channels; negative: one scale for the tensor
std::optional<std::vector<float>> scales_of_grid(const Tensor& weight, int axis);

}  // namespace detent
