#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern OpenVINO alone.
FindingCheck computed_otherwise, open_time_axis;

}  // namespace detent::findings
