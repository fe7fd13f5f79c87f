#pragma once

#include <memory>

#include "ops/onednn/onednn.h"

namespace detent {

/// True on processors with 8-bit dot products, whose integer kernels do not saturate pairs of products.
namespace onednn {
[[nodiscard]] bool sums_bytes_exactly();
}

/// A Conv, MatMul or Gemm between pairs, summed in integers as an engine sums it: y = s_x s_w[o] (sum_k q_x q_w + b[o]
/// / (s_x s_w[o])) with the codes that stand before the DequantizeLinear nodes of its data and its weights. Sums are
/// exact in 32 bits; the float sum of the dequantized numbers is not, and takes several times as long.
///
/// Source  B. Jacob et al., "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
///         Inference", 2018, section 2.
class IntegerOperands {
 public:
  /// Data and weights come from DequantizeLinear with constant float scales: one for the data; one, or one an output
  /// channel, for the weights. Returns nullptr where one does not, for codes of more than 8 bits, a bias that is not
  /// constant, and sums that 32 bits may not hold. Processors without 8-bit dot products give nullptr too, because
  /// their integer kernels saturate pairs of products.
  /// axis  that of the weights that counts output channels
  [[nodiscard]] static std::unique_ptr<const IntegerOperands> find(const KernelContext& context, size_t axis = 0);

  /// Returns the weights minus their zero points, Int8, laid out as in the file.
  [[nodiscard]] const Tensor& weights() const { return weights_; }
  /// Computes the output of the DequantizeLinear of the weights.
  [[nodiscard]] Tensor float_weights() const;
  /// Returns one float an output channel, in units of the sum; an empty handle when there is no bias.
  [[nodiscard]] const Tensor& bias() const { return bias_; }
  /// Returns Int8 or UInt8.
  [[nodiscard]] DataType code_type() const { return type_; }
  [[nodiscard]] dnnl::memory::data_type source_type() const;
  /// Return the codes of dequantized data, in the same layout; and dequantized codes, as the DequantizeLinear gives
  /// them.
  [[nodiscard]] Tensor codes(const Tensor& dequantized, Allocator& allocator) const;
  [[nodiscard]] Tensor dequantized(const Tensor& codes, Allocator& allocator) const;
  /// Describes the data's zero point, and the scales as a factor (the first post-op), for a primitive that sums
  /// integers into floats. The numbers come from bind(): as attributes they would be part of the compiled kernel, which
  /// would then be compiled again for models that differ in ranges alone.
  void describe(dnnl::primitive_attr& attributes, dnnl::post_ops& chain) const;
  /// The number of post-ops that describe() appends.
  static constexpr int kPostOps = 1;
  /// Adds the numbers that describe() left open to the arguments.
  void bind(onednn::Arguments& arguments) const;

 private:
  IntegerOperands() = default;
  [[nodiscard]] int32_t zero_point() const { return zero_point_.data<int32_t>()[0]; }

  DataType type_ = DataType::Int8;
  float scale_ = 1;
  Tensor zero_point_;  // one int32
  Tensor weights_, bias_;
  size_t axis_ = 0;                   // of the output channels in `weights_`
  std::vector<float> weight_scales_;  // s_w[o]
  Tensor scales_;                     // s_x s_w[o], as 1 x O x 1...; one number where all are equal
};

}  // namespace detent
