#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern ONNX Runtime alone.
FindingCheck shared_int8_pair, clip_before_int8_q, refused_activation, scale_not_scalar, joined_pairs, copied_int8_pair;

}  // namespace detent::findings
