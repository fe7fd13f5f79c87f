#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern Rockchip's NPU alone.
FindingCheck rknn_not_built, rknn_open_shape;

}  // namespace detent::findings
