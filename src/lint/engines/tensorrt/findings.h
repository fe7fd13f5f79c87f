#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern TensorRT alone.
FindingCheck skip_not_quantized, pair_between_conv_and_add, batchnorm_behind_deconvolution, deconvolution_3d_not_closed,
    concat_input_from_float, stem_conv_maxpool, depthwise_silu, leaky_relu_not_closed;

}  // namespace detent::findings
