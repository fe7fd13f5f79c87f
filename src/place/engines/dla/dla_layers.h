#pragma once

#include <cstdint>
#include <string_view>

namespace detent {

/// A layer that NVIDIA's DLA runs, by the ONNX operator of which TensorRT's parser makes it, with its limits. A limit
/// of 0 is none; windows, strides, paddings and dilations begin at 1, 1, 0 and 1.
struct DlaLayer {
  std::string_view op;     ///< "Conv"
  std::string_view layer;  ///< "Convolution"
  int64_t window = 0, stride = 0;
  int64_t padding = -1;  ///< -1: no limit
  int64_t dilation = 0;
  bool grouped = true;
  bool int8 = true;     ///< false: DLA computes it in FP16
  bool copies = false;  ///< its input and output have one scale
};

inline constexpr std::string_view kDlaSource =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/dla-layer-restrictions.html, read 2026-11";

/// Limits of all layers.
inline constexpr int64_t kDlaLargestBatch = 4096, kDlaLargestExtent = 8192;

/// Returns nullptr for an operator of which DLA runs no layer.
[[nodiscard]] const DlaLayer* find_dla_layer(std::string_view op);

}  // namespace detent
