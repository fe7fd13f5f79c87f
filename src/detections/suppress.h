#pragma once

#include <vector>

#include "detections/detection.h"

namespace detent {

/// Non-maximum suppression within each category: of boxes whose IoU exceeds `most` the one with the highest score
/// stays. Of a category the 1000 highest scores take part.
/// Returns what stays, by category, the highest scores first.
[[nodiscard]] std::vector<Detection> suppress(std::vector<Detection> found, double most);

}  // namespace detent
