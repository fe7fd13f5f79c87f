#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern WebGPU alone.
FindingCheck quantized_on_cpu;

}  // namespace detent::findings
