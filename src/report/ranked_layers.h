#pragma once

#include <vector>

#include "detent/sensitivity.h"

namespace detent {

/// Layers and operators in one list, worst first: by SQNR alone, of equals what gains most by staying float.
[[nodiscard]] std::vector<SensitivityReport::Layer> ranked_layers(const SensitivityReport& report);

}  // namespace detent
