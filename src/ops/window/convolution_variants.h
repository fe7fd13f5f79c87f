#pragma once

#include "ops/onednn/onednn.h"
#include "ops/window/window.h"

namespace detent {

// Conv and ConvTranspose as parameters of one kernel.

/// Conv.
struct ForwardConvolution {
  using Primitive = dnnl::convolution_forward;
  static constexpr bool finish_inside = true;  // bias and post-ops belong to the primitive
  static constexpr bool has_own = true;        // some shapes have kernels of our own
  static constexpr bool sums_integers = true;  // between pairs
  static constexpr auto algorithm = dnnl::algorithm::convolution_direct;
  static constexpr const char* name = "convolution";
  static int64_t input_channels(const Shape& weights, int64_t group) { return weights[1] * group; }
  static int64_t output_channels(const Shape& weights, int64_t) { return weights[0]; }
  static Window resolve(const WindowAttributes& attributes, const Node&, const std::vector<int64_t>& input,
                        const std::vector<int64_t>& kernel) {
    return resolve_window(attributes, input, kernel);
  }
  /// ONNX weights (O, I/g, k...) as oneDNN's (g, O/g, I/g, k...), which is the same memory.
  static dnnl::memory::desc weights_in_file(const Shape& weights, int64_t group) {
    dnnl::memory::dims dims{weights[0] / group, weights[1]};
    dims.insert(dims.end(), weights.begin() + 2, weights.end());
    dims.insert(dims.begin(), group);
    return onednn::describe(Shape(std::span<const int64_t>(dims)), Layout::Plain);
  }
};

/// ConvTranspose.
struct TransposedConvolution {
  using Primitive = dnnl::deconvolution_forward;
  // oneDNN 2.6 adds bias and post-ops of a deconvolution in reference loops, up to 30 times slower than the kernel itself.
  static constexpr bool finish_inside = false;
  static constexpr bool has_own = false;
  static constexpr bool sums_integers = false;
  static constexpr auto algorithm = dnnl::algorithm::deconvolution_direct;
  static constexpr const char* name = "transposed convolution";
  static int64_t input_channels(const Shape& weights, int64_t) { return weights[0]; }
  static int64_t output_channels(const Shape& weights, int64_t group) { return weights[1] * group; }
  static Window resolve(const WindowAttributes& attributes, const Node& node, const std::vector<int64_t>& input,
                        const std::vector<int64_t>& kernel) {
    return resolve_transposed_window(attributes, input, kernel, node.ints_or("output_padding", {}),
                                     node.ints_or("output_shape", {}));
  }
  /// ONNX weights (I, O/g, k...) as oneDNN's (g, O/g, I/g, k...): input and output channels change places.
  static dnnl::memory::desc weights_in_file(const Shape& weights, int64_t group) {
    const int64_t inputs = weights[0] / group;
    const int64_t outputs = weights[1];
    const int64_t window = weights.element_count(2, weights.rank());
    dnnl::memory::dims dims{group, outputs, inputs};
    dnnl::memory::dims strides{inputs * outputs * window, window, outputs * window};
    int64_t stride = window;
    for (size_t i = 2; i < weights.rank(); ++i) {
      stride /= weights[i];
      dims.push_back(weights[i]);
      strides.push_back(stride);
    }
    return {dims, dnnl::memory::data_type::f32, strides};
  }
};

}  // namespace detent
