#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "detections/detection.h"

namespace detent {

/// Non-maximum suppression within each category: of boxes whose IoU exceeds `most` the one with the highest score
/// stays. Of a category the 1000 highest scores take part, until `enough` stay.
/// Returns what stays, by category, the highest scores first.
[[nodiscard]] std::vector<Detection> suppress(std::vector<Detection> found, double most,
                                              size_t enough = std::numeric_limits<size_t>::max());

}  // namespace detent
