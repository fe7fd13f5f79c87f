#pragma once

#include "detent/sensitivity.h"

namespace detent {

/// measure_sensitivity() where weights alone are quantized: options.weights is given.
/// Errors  those of make_blocked_model and measure_layer_errors; InvalidOption when no output can be compared.
[[nodiscard]] SensitivityReport weight_sensitivity(const SensitivityOptions& options);

}  // namespace detent
