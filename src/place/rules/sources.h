#pragma once

#include <string_view>

namespace detent {

// Sources of more than one rule.
inline constexpr std::string_view kTensorRtGuide =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html";
inline constexpr std::string_view kModelOptimizer = "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization";

}  // namespace detent
