#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern HTP alone.
FindingCheck htp_float_unit, htp_mixed_types, htp_per_channel, htp_no_kernel, htp_open_shape, htp_control_flow;

}  // namespace detent::findings
