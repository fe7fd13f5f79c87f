#include "ops/onednn/integer_operands.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.h"
#include "ops/dequantizer.h"
#include "ops/simd/elementwise.h"

namespace detent {

namespace {

/// Returns the output channel of element i of weights of this shape.
size_t channel_of(size_t i, const Shape& weights, size_t axis) {
  return i / as_index(weights.element_count(axis + 1, weights.rank())) % as_index(weights[axis]);
}

/// Returns weights minus their zero points; an empty handle where these leave 8 bits, and where neither one scale holds
/// for all weights nor one for each output channel.
Tensor centred_weights(const KernelContext& context, const Dequantizer& dequantizer, size_t axis) {
  const KernelContext own{context.graph, *dequantizer.node, context.opset, {}, context.folded};
  const Tensor* codes = own.constant(0);
  if (!codes || codes->type() != dequantizer.type || codes->layout() != Layout::Plain || codes->element_count() == 0)
    return {};
  const size_t scales = dequantizer.scales.size(), rank = codes->shape().rank();
  if (rank < 2) return {};
  const int64_t along = dequantizer.node->int_or("axis", 1);
  if (scales != 1 &&
      (as_extent(scales) != codes->shape()[axis] || (along < 0 ? along + as_extent(rank) : along) != as_extent(axis)))
    return {};
  if (codes->type() == DataType::Int8 && std::ranges::all_of(dequantizer.zero_points, [](int32_t z) { return z == 0; }))
    return *codes;
  Tensor weights(DataType::Int8, codes->shape());
  const auto out = weights.mutable_data<int8_t>();
  for (size_t i = 0; i < out.size(); ++i) {
    const int32_t code =
        codes->type() == DataType::Int8 ? int32_t{codes->data<int8_t>()[i]} : int32_t{codes->data<uint8_t>()[i]};
    const int32_t weight = code - dequantizer.zero_points[scales == 1 ? 0 : channel_of(i, weights.shape(), axis)];
    if (weight < std::numeric_limits<int8_t>::min() || weight > std::numeric_limits<int8_t>::max()) return {};
    out[i] = static_cast<int8_t>(weight);
  }
  return weights;
}

/// Returns one factor for each output channel, or for all, to be broadcast over an output of this rank.
Tensor as_factors(const std::vector<float>& scales, size_t rank) {
  Shape shape;
  for (size_t axis = 0; axis < rank; ++axis) shape.push_back(1);
  const bool equal = std::ranges::all_of(scales, [&](float one) { return one == scales.front(); });
  if (!equal) shape[1] = std::ssize(scales);
  return Tensor::from<float>(shape, std::span(scales).first(equal ? 1 : scales.size()));
}

/// True when sums stay in 32 bits: |sum| <= terms * 255 * 128, also when oneDNN shifts signed data by 128.
bool fits_32_bits(int64_t terms) {
  constexpr int64_t kLargestProduct = 255 * 128;
  return terms <= std::numeric_limits<int32_t>::max() / kLargestProduct;
}

}  // namespace

bool onednn::sums_bytes_exactly() {
  static const bool exact = [] {
    using dnnl::cpu_isa;
    const auto isa = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
    const auto has = [&](cpu_isa wanted) {
      return (isa & static_cast<unsigned>(wanted)) == static_cast<unsigned>(wanted);
    };
    return has(cpu_isa::avx512_core_vnni) || has(cpu_isa::avx2_vnni);
  }();
  return exact;
}

std::unique_ptr<const IntegerOperands> IntegerOperands::find(const KernelContext& context, size_t axis) {
  if (!onednn::sums_bytes_exactly()) return nullptr;
  const auto data = dequantizer_of(context, 0), weights = dequantizer_of(context, 1);
  if (!data || !weights || data->scales.size() != 1) return nullptr;
  std::unique_ptr<IntegerOperands> operands(new IntegerOperands);
  operands->type_ = data->type;
  operands->scale_ = data->scales[0];
  operands->zero_point_ = Tensor::from<int32_t>({1}, data->zero_points);
  operands->axis_ = axis;
  operands->weights_ = centred_weights(context, *weights, axis);
  if (operands->weights_.empty_handle()) return nullptr;
  const Shape& shape = operands->weights_.shape();
  if (!fits_32_bits(shape.element_count() / shape[axis])) return nullptr;
  const auto channels = as_index(shape[axis]);
  const bool each = weights->scales.size() > 1;
  for (size_t o = 0; o < channels; ++o) operands->weight_scales_.push_back(weights->scales[each ? o : 0]);
  std::vector<float> scales;
  for (const float scale : operands->weight_scales_) scales.push_back(operands->scale_ * scale);
  operands->scales_ = as_factors(scales, shape.rank());
  if (!context.node.input(2)) return operands;
  const Tensor* bias = context.constant(2);
  if (!bias || bias->type() != DataType::Float32 || bias->element_count() != as_extent(channels)) return nullptr;
  operands->bias_ = Tensor(DataType::Float32, bias->shape());
  const auto scaled = operands->bias_.mutable_data<float>();
  for (size_t o = 0; o < channels; ++o) scaled[o] = bias->data<float>()[o] / scales[o];
  // A product of tiny scales may underflow; the float sum knows such numbers.
  if (!std::ranges::all_of(scaled, [](float one) { return std::isfinite(one); })) return nullptr;
  return operands;
}

dnnl::memory::data_type IntegerOperands::source_type() const {
  return type_ == DataType::Int8 ? dnnl::memory::data_type::s8 : dnnl::memory::data_type::u8;
}

Tensor IntegerOperands::float_weights() const {
  Tensor weights(DataType::Float32, weights_.shape());
  const auto codes = weights_.data<int8_t>();
  const auto out = weights.mutable_data<float>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<float>(codes[i]) * weight_scales_[channel_of(i, weights_.shape(), axis_)];
  return weights;
}

Tensor IntegerOperands::codes(const Tensor& dequantized, Allocator& allocator) const {
  Tensor codes(type_, dequantized.shape(), allocator, dequantized.layout());
  const auto in = dequantized.data<float>();
  if (type_ == DataType::Int8)
    quantize_run(in.data(), codes.mutable_data<int8_t>().data(), scale_, zero_point(), in.size());
  else
    quantize_run(in.data(), codes.mutable_data<uint8_t>().data(), scale_, zero_point(), in.size());
  return codes;
}

Tensor IntegerOperands::dequantized(const Tensor& codes, Allocator& allocator) const {
  Tensor floats(DataType::Float32, codes.shape(), allocator, codes.layout());
  const auto out = floats.mutable_data<float>();
  if (type_ == DataType::Int8)
    dequantize_run(codes.data<int8_t>().data(), out.data(), scale_, zero_point(), out.size());
  else
    dequantize_run(codes.data<uint8_t>().data(), out.data(), scale_, zero_point(), out.size());
  return floats;
}

void IntegerOperands::describe(dnnl::primitive_attr& attributes, dnnl::post_ops& chain) const {
  chain.append_binary(dnnl::algorithm::binary_mul, onednn::describe(scales_.shape(), Layout::Plain));
  if (zero_point() != 0) attributes.set_zero_points(DNNL_ARG_SRC, 0, {DNNL_RUNTIME_S32_VAL});
}

void IntegerOperands::bind(onednn::Arguments& arguments) const {
  arguments.push_back({DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, onednn::wrap(scales_)});
  if (zero_point() == 0) return;
  const auto one = onednn::describe(zero_point_.shape(), Layout::Plain, dnnl::memory::data_type::s32);
  arguments.push_back({DNNL_ARG_ATTR_ZERO_POINTS | DNNL_ARG_SRC, onednn::wrap(zero_point_, one)});
}

}  // namespace detent
