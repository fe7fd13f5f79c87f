#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern TensorRT alone.
FindingCheck skip_not_quantized, pair_between_conv_and_add, batchnorm_behind_deconvolution, deconvolution_3d_not_closed,
    concat_input_from_float, leaky_relu_not_closed, no_int8_kernel;

}  // namespace detent::findings
