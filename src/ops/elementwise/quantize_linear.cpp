#include <algorithm>
#include <cmath>
#include <optional>

#include "core/float_type.h"
#include "core/index.h"
#include "core/small_float.h"
#include "detent/base/qparams.h"
#include "model/graph/tensor_proto.h"
#include "ops/elementwise/dequantize_blocks.h"
#include "ops/kernel_function.h"
#include "ops/memory/memory_order.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/simd/elementwise.h"
#include "ops/types/float_types.h"

namespace detent {

namespace {

struct Attributes {
  int64_t axis = 1;
  int64_t block = 0;  ///< opset 21; 0 = one scale a slice of the axis
  DataType type = DataType::Undefined;
  DataType precision = DataType::Undefined;  ///< of the division, opset 23; Undefined = that of the scale
  bool saturate = true;                      ///< small floats, opset 19
  bool precision_of_scale = false;           ///< opset 23; below it ONNX Runtime divides in float
};

Attributes read_attributes(const KernelContext& context) {
  const Node& node = context.node;
  return {.axis = node.int_or("axis", 1),
          .block = node.int_or("block_size", 0),
          .type = data_type_from_onnx(node.int_or("output_dtype", 0)),
          .precision = data_type_from_onnx(node.int_or("precision", 0)),
          .saturate = node.int_or("saturate", 1) != 0,
          .precision_of_scale = context.opset >= 23};
}

/// Scales and zero points, one for the tensor or one for each index of an axis.
struct Parameters {
  std::vector<float> scales;
  std::vector<double> zero_points;  // holds those of every type
  AxisView view;                    ///< of the quantized tensor's memory; extent 1 for per-tensor parameters
};

std::vector<float> floats_of(const Tensor& tensor, Allocator& allocator) {
  const Tensor wide = cast(tensor, DataType::Float32, allocator);
  const auto data = wide.data<float>();
  return {data.begin(), data.end()};
}

std::vector<double> zero_points_of(const KernelCall& call, size_t count) {
  if (!call.has_input(2)) return std::vector<double>(count, 0.0);
  const Tensor wide = cast(call.input(2), DataType::Float64, call.allocator());
  const auto data = wide.data<double>();
  if (data.size() != count)
    throw Error(ErrorCode::InvalidModel,
                std::to_string(count) + " scales but " + std::to_string(data.size()) + " zero points");
  return {data.begin(), data.end()};
}

/// Expands block parameters to one an element, so that the element loops need one case.
Tensor expand_blocks(const Tensor& parameter, const Shape& data, size_t axis, int64_t block) {
  check_block_parameter(parameter.shape(), data, axis, block);
  const Shape& shape = parameter.shape();
  Tensor expanded(parameter.type(), data);
  const AxisView view = view_around(data, Layout::Plain, axis);
  visit_size(byte_size(parameter.type()), [&]<class T>(T) {
    const T* in = static_cast<const T*>(parameter.raw());
    T* out = static_cast<T*>(expanded.mutable_raw());
    for (int64_t o = 0; o < view.outer; ++o)
      for (int64_t a = 0; a < view.extent; ++a)
        for (int64_t i = 0; i < view.inner; ++i)
          out[(o * view.extent + a) * view.inner + i] = in[(o * shape[axis] + a / block) * view.inner + i];
  });
  return expanded;
}

Parameters parameters_of(KernelCall& call, const Tensor& data, const Attributes& attributes) {
  const Tensor& scale = call.input(1);
  if (attributes.block > 0) {
    const size_t axis = axis_from_front(attributes.axis, data.shape().rank());
    Tensor zero_inputs[3] = {{}, {}, {}};
    if (call.has_input(2)) zero_inputs[2] = expand_blocks(call.input(2), data.shape(), axis, attributes.block);
    const KernelCall expanded(zero_inputs, {}, {}, call.allocator(), call.workspace());
    const auto count = as_index(data.element_count());
    return {floats_of(expand_blocks(scale, data.shape(), axis, attributes.block), call.allocator()),
            zero_points_of(expanded, count),
            {1, data.element_count(), 1}};
  }
  const auto count = as_index(scale.element_count());
  Parameters parameters{floats_of(scale, call.allocator()), zero_points_of(call, count), {1, 1, data.element_count()}};
  if (count == 1) return parameters;
  const size_t axis = axis_from_front(attributes.axis, data.shape().rank());
  parameters.view = view_around(data.shape(), data.layout(), axis);
  if (scale.shape().rank() != 1 || parameters.view.extent != as_extent(count))
    throw Error(ErrorCode::InvalidModel, "scales of shape " + scale.shape().to_string() + " do not fit axis " +
                                             std::to_string(axis) + " of " + data.shape().to_string());
  return parameters;
}

/// Calls run(offset, length, scale, zero point) for each stretch of memory under one scale.
template <class Run>
void for_each_run(const Parameters& parameters, Run&& run) {
  const AxisView& view = parameters.view;
  for (int64_t block = 0; block < view.outer * view.extent; ++block) {
    const auto index = as_index(block % view.extent);
    run(block * view.inner, as_index(view.inner), parameters.scales[index], parameters.zero_points[index]);
  }
}

/// Quantizes a few elements, where a dispatched call would cost more than the work.
template <class Q>
void quantize_few(const float* in, Q* out, size_t count, float scale, int32_t zero_point, CodeRange range) {
  const auto low = static_cast<float>(range.lowest - zero_point), high = static_cast<float>(range.highest - zero_point);
  for (size_t i = 0; i < count; ++i) {
    const float x = in[i] / scale;
    const float step = std::isnan(x) ? 0.0F : std::nearbyint(std::clamp(x, low, high));
    out[i] = static_cast<Q>(zero_point + static_cast<int32_t>(step));
  }
}

template <class Q>
void quantize_tensor(const Parameters& parameters, const Tensor& input, Tensor& output) {
  const float* in = input.data<float>().data();
  Q* out = output.mutable_data<Q>().data();
  const bool whole_bytes = output.type() == data_type_of<Q>;
  for_each_run(parameters, [&](int64_t at, size_t count, float scale, double zero) {
    const auto zero_point = static_cast<int32_t>(zero);
    if (count >= 16 && whole_bytes)
      quantize_run(in + at, out + at, scale, zero_point, count);
    else
      quantize_few(in + at, out + at, count, scale, zero_point, code_range(output.type()));
  });
}

/// Quantizes to small floats, without rounding to whole steps: the quotient becomes the nearest value of the type.
void quantize_to_float(const Parameters& parameters, const Tensor& input, Tensor& output, bool saturate) {
  const SmallFloatFormat& format = small_float_format(output.type());
  const float* in = input.data<float>().data();
  uint8_t* out = output.mutable_data<uint8_t>().data();
  const bool common = output.type() == DataType::Float8E4M3FN && saturate;
  for_each_run(parameters, [&](int64_t at, size_t count, float scale, double zero_point) {
    const auto first = as_index(at);
    if (common && zero_point == 0) {
      for (size_t i = first; i < first + count; ++i) out[i] = encode_e4m3(in[i] / scale);
      return;
    }
    for (size_t i = first; i < first + count; ++i)
      out[i] = encode(format, static_cast<double>(in[i] / scale) + zero_point, saturate);
  });
}

float rounded_to(DataType type, float value) {
  return type == DataType::Float16 ? half_to_float(float_to_half(value)) : bfloat16_to_float(float_to_bfloat16(value));
}

/// Returns Float16 or BFloat16 where the division is one of such numbers; Undefined where it is one of floats.
DataType narrow_precision(const Attributes& attributes, DataType scale) {
  const bool by_scale = attributes.precision == DataType::Undefined && attributes.precision_of_scale;
  const DataType type = by_scale ? scale : attributes.precision;
  return is_half(type) ? type : DataType::Undefined;
}

/// Returns quotients of numbers of the type `precision`, rounded to it; sets the scales to 1.
Tensor divide_in(DataType precision, Parameters& parameters, const Tensor& input, Allocator& allocator) {
  const Tensor narrow = convert(convert(input, precision, allocator), DataType::Float32, allocator);
  Tensor quotients(DataType::Float32, input.shape(), allocator, input.layout());
  const float* in = narrow.data<float>().data();
  float* out = quotients.mutable_data<float>().data();
  for_each_run(parameters, [&](int64_t at, size_t count, float scale, double) {
    const float divisor = rounded_to(precision, scale);
    for (size_t i = as_index(at); i < as_index(at) + count; ++i) out[i] = in[i] / divisor;
  });
  std::fill(parameters.scales.begin(), parameters.scales.end(), 1.0F);
  return convert(convert(quotients, precision, allocator), DataType::Float32, allocator);
}

void run_quantize(KernelCall& call, const Attributes& attributes) {
  Tensor input = convert(call.input(0), DataType::Float32, call.allocator());
  if (attributes.block > 0) input = to_plain(input, call.allocator());
  Parameters parameters = parameters_of(call, input, attributes);
  if (const DataType narrow = narrow_precision(attributes, call.input(1).type()); narrow != DataType::Undefined)
    input = divide_in(narrow, parameters, input, call.allocator());
  DataType type = attributes.type == DataType::Undefined ? DataType::UInt8 : attributes.type;
  if (call.has_input(2)) type = call.input(2).type();
  Tensor& output = call.make_output(0, type, input.shape(), input.layout());
  if (is_small_float(type)) return quantize_to_float(parameters, input, output, attributes.saturate);
  visit_number(type, [&]<class Q>(Q) {
    if constexpr (std::is_integral_v<Q> && sizeof(Q) <= 2)
      quantize_tensor<Q>(parameters, input, output);
    else
      throw unsupported_type(type);
  });
}

/// Dequantizes rows whose columns each have a scale, as weights of MatMul.
template <class Q>
void dequantize_columns(const Parameters& parameters, const Q* in, float* out) {
  const size_t columns = as_index(parameters.view.extent);
  const float* scales = parameters.scales.data();
  const std::vector<int32_t> zero_points(parameters.zero_points.begin(), parameters.zero_points.end());
  for (int64_t row = 0; row < parameters.view.outer; ++row, in += columns, out += columns)
    for (size_t c = 0; c < columns; ++c) out[c] = static_cast<float>(in[c] - zero_points[c]) * scales[c];
}

template <class Q>
void dequantize_tensor(const Parameters& parameters, const Tensor& input, Tensor& output) {
  const Q* in = input.data<Q>().data();
  float* out = output.mutable_data<float>().data();
  if constexpr (sizeof(Q) <= 2)
    if (parameters.view.inner == 1 && parameters.view.extent > 1) return dequantize_columns(parameters, in, out);
  for_each_run(parameters, [&](int64_t at, size_t count, float scale, double zero) {
    const auto zero_point = static_cast<int32_t>(zero);
    if (count >= 16) return dequantize_run(in + at, out + at, scale, zero_point, count);
    for (size_t i = 0; i < count; ++i)
      out[at + as_extent(i)] = static_cast<float>(int64_t{in[at + as_extent(i)]} - zero_point) * scale;
  });
}

/// Dequantizes without a float copy of the codes.
void dequantize_e4m3(const Parameters& parameters, const Tensor& input, Tensor& output) {
  const uint8_t* in = input.data<uint8_t>().data();
  const float* numbers = e4m3_numbers().data();
  float* out = output.mutable_data<float>().data();
  for_each_run(parameters, [&](int64_t at, size_t count, float scale, double zero_point) {
    for (size_t i = as_index(at); i < as_index(at) + count; ++i)
      out[i] = (numbers[in[i]] - static_cast<float>(zero_point)) * scale;
  });
}

void dequantize_from_float(const Parameters& parameters, const Tensor& input, Tensor& output) {
  if (input.type() == DataType::Float8E4M3FN) return dequantize_e4m3(parameters, input, output);
  const Tensor wide = cast(input, DataType::Float32);
  const float* in = wide.data<float>().data();
  float* out = output.mutable_data<float>().data();
  for_each_run(parameters, [&](int64_t at, size_t count, float scale, double zero_point) {
    for (size_t i = as_index(at); i < as_index(at) + count; ++i)
      out[i] = (in[i] - static_cast<float>(zero_point)) * scale;
  });
}

void dequantize_any(const Parameters& parameters, const Tensor& input, Tensor& output) {
  if (is_small_float(input.type())) return dequantize_from_float(parameters, input, output);
  visit_number(input.type(), [&]<class Q>(Q) {
    if constexpr (std::is_integral_v<Q> && (sizeof(Q) <= 2 || std::is_same_v<Q, int32_t>))
      dequantize_tensor<Q>(parameters, input, output);
    else
      throw unsupported_type(input.type());
  });
}

/// Dequantizes blocks without expanding scales to one an element: these are large weights.
void dequantize_in_blocks(const Tensor& input, const Attributes& attributes, KernelCall& call, Tensor& output) {
  const Tensor scales = cast(call.input(1), DataType::Float32, call.allocator());
  dequantize_blocks(input, scales, call.has_input(2) ? call.input(2) : Tensor(),
                    axis_from_front(attributes.axis, input.shape().rank()), attributes.block, output);
}

void run_dequantize(KernelCall& call, const Attributes& attributes) {
  if (call.has_input(2))
    check_same_type(call.input(0), call.input(2));  // zero points of other types may be beyond 32 bits
  const Tensor input = attributes.block > 0 ? to_plain(call.input(0), call.allocator()) : call.input(0);
  Tensor output(DataType::Float32, input.shape(), call.allocator(), input.layout());
  if (attributes.block > 0 && !is_small_float(input.type()))
    dequantize_in_blocks(input, attributes, call, output);
  else
    dequantize_any(parameters_of(call, input, attributes), input, output);
  DataType type = attributes.type == DataType::Undefined ? call.input(1).type() : attributes.type;
  if (is_small_float(type)) type = DataType::Float32;  // outputs cannot have the type of float8e8m0 scales
  call.set_output(0, type == DataType::Float32 ? std::move(output) : convert(output, type, call.allocator()));
}

/// Quantizes to uint8 over the range of the data widened to contain 0. All zeros -> scale 1.
void run_dynamic(KernelCall& call) {
  const Tensor input = call.input(0);
  const auto in = input.data<float>();
  float low = 0, high = 0;
  for (const float x : in) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const float scale = high > low ? (high - low) / 255.0F : 1.0F;
  const float shift = -low / scale;  // NaN where the data reach to -infinity: no code is 0
  const float zero = std::isnan(shift) ? 0.0F : std::nearbyint(std::clamp(shift, 0.0F, 255.0F));
  uint8_t* const out = call.make_output(0, DataType::UInt8, input.shape()).mutable_data<uint8_t>().data();
  quantize_run(in.data(), out, scale, static_cast<int32_t>(zero), in.size());
  call.set_output(1, Tensor::scalar(scale));
  call.set_output(2, Tensor::scalar(static_cast<uint8_t>(zero)));
}

}  // namespace

std::vector<OperatorDef> quantize_linear_operators() {
  const OpTraits quantize{.kind = OpKind::QuantizeLinear, .data_inputs = 1};
  const OpTraits dequantize{.kind = OpKind::DequantizeLinear, .data_inputs = 1};
  return {
      {"QuantizeLinear", quantize, make_with<read_attributes, run_quantize>, 10, LayoutNeed::Any},
      {"DequantizeLinear", dequantize, make_with<read_attributes, run_dequantize>, 10, LayoutNeed::Any},
      {"DynamicQuantizeLinear", {.kind = OpKind::QOperator}, stateless<run_dynamic>, 11},
  };
}

}  // namespace detent
