#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/pair_order.h"
#include "ops/dequantizer.h"

namespace detent {

/// A Conv, Gemm or MatMul as ONNX Runtime runs it on 8-bit activations and INT8 weights on x86. INT8 activations become
/// UINT8 there: code + 128.
///
/// sum = sum_k saturate16 pairs of q_x q_w, - z_x sum_k q_w + bias, in 32 bits. With a pair behind it the output is the
/// code round_half_even(sum * (s_x s_w / s_y)) + z_y, cut to 0..255, and given as (code - z_y) s_y; without one it is
/// sum * (s_x s_w).
/// Source  onnxruntime/core: providers/cpu/quantization/qlinearconv.cc, quant_gemm.cc; mlas/lib/quantize.cpp,
///         MlasRequantizeOutput; optimizer/qdq_transformer/qdq_s8_to_u8.cc.
class SaturatingLayer {
 public:
  /// Returns nullptr where the engine does not run the node that way: data without 8-bit codes of one scale and zero
  /// point, weights that are not constant INT8 with zero point 0 and one scale, or one an output; a Conv without a pair
  /// behind it or behind its Relu or Clip; a bias that is not constant; alpha or beta other than 1; more than 2^15
  /// products an output.
  [[nodiscard]] static std::unique_ptr<const SaturatingLayer> find(const KernelContext& context);

  [[nodiscard]] const PairOrder& order() const { return order_; }  ///< Kind::None: products are exact (depthwise)
  [[nodiscard]] const Tensor& weights() const { return weights_; }
  [[nodiscard]] int64_t outputs() const { return outputs_; }
  [[nodiscard]] uint8_t input_zero() const { return static_cast<uint8_t>(input_zero_); }
  /// Checks that data are FP32 or codes. Errors  InvalidModel otherwise.
  void check_type(const Tensor& data) const;
  /// Returns dequantized data as the codes that it came from; codes as they are. The layout stays.
  [[nodiscard]] Tensor codes(const Tensor& data, Allocator& allocator) const;
  /// Turns the sums of `count` outputs from `first` on, at one position, into the layer's numbers.
  void finish(const int32_t* sums, int64_t first, int64_t count, float* out) const;

 private:
  SaturatingLayer() = default;
  bool find_weights(const KernelContext& context);
  bool find_bias(const KernelContext& context, const std::vector<float>& weight_scales);
  void find_grid_behind(const KernelContext& context);
  void set_factors(const std::vector<float>& weight_scales);

  PairOrder order_;
  Tensor weights_;
  int64_t outputs_ = 0;
  DataType code_type_ = DataType::UInt8;
  float input_scale_ = 1;
  int32_t input_zero_ = 0;        // of UINT8 codes
  std::vector<int32_t> offsets_;  // bias - z_x * sum of the output's weights
  std::vector<float> factors_;    // of the sums
  struct Grid {
    float scale;
    int32_t zero_point;
  };
  std::optional<Grid> behind_;
};

/// Weights packed for multiply_saturating(), in the order in which an engine multiplies them.
class SaturatingMatrix {
 public:
  /// Packs `count` outputs from `first` on of weights in this order.
  SaturatingMatrix(const Tensor& weights, const PairOrder& order, int64_t first, int64_t count);

  [[nodiscard]] int64_t inner() const { return inner_; }  ///< codes in a row, padded to a multiple of 4
  [[nodiscard]] int64_t sums_row() const;                 ///< sums of a row, padded
  /// Multiplies: rows x inner() codes -> rows x sums_row() sums.
  void multiply(const uint8_t* codes, int64_t rows, int32_t* sums) const;

 private:
  int64_t inner_ = 0, blocks_ = 0;
  std::vector<int8_t> packed_;
};

/// Makes the kernel of a Conv as ONNX Runtime's integer kernels compute it on x86 CPUs without VNNI; it takes codes as
/// well as floats. nullptr where it does not run that way (SaturatingLayer::find). In saturating_convolution.cpp.
[[nodiscard]] std::unique_ptr<Kernel> make_saturating_convolution(const KernelContext& context);

}  // namespace detent
