#include <algorithm>
#include <cmath>

#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/types/float_only.h"
#include "ops/window/window.h"

namespace detent {

namespace {

/// Bilinear between the four pixels round (y, x); what lies outside counts as 0.
double sample_plane(const float* plane, int64_t height, int64_t width, double y, double x) {
  if (!(y > -1 && x > -1 && y < static_cast<double>(height) && x < static_cast<double>(width))) return 0;
  const auto top = static_cast<int64_t>(std::floor(y)), left = static_cast<int64_t>(std::floor(x));
  const double down = y - static_cast<double>(top), right = x - static_cast<double>(left);
  const auto pixel = [&](int64_t r, int64_t c) {
    const bool inside = r >= 0 && r < height && c >= 0 && c < width;
    return inside ? static_cast<double>(plane[r * width + c]) : 0.0;
  };
  return (1 - down) * ((1 - right) * pixel(top, left) + right * pixel(top, left + 1)) +
         down * ((1 - right) * pixel(top + 1, left) + right * pixel(top + 1, left + 1));
}

struct Geometry {
  Shape input, weights, output;
  Window window;
  int64_t groups = 1, offset_groups = 1;
};

/// Sampled inputs of one output position, in the order of the weights of all groups: channel, tap.
void gather(const Geometry& geometry, const float* in, const float* offsets, const float* mask, int64_t at,
            std::vector<double>& samples) {
  const Window& window = geometry.window;
  const int64_t height = geometry.input[2], width = geometry.input[3], positions = window.output[0] * window.output[1];
  const int64_t taps = window.kernel[0] * window.kernel[1];
  const int64_t y = at / window.output[1], x = at % window.output[1];
  for (int64_t c = 0; c < geometry.input[1]; ++c)
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t slot = c / (geometry.input[1] / geometry.offset_groups) * taps + tap;
      const auto dy = static_cast<double>(offsets[(2 * slot) * positions + at]);
      const auto dx = static_cast<double>(offsets[(2 * slot + 1) * positions + at]);
      const int64_t row = y * window.strides[0] - window.pad_begin[0] + tap / window.kernel[1] * window.dilations[0];
      const int64_t column = x * window.strides[1] - window.pad_begin[1] + tap % window.kernel[1] * window.dilations[1];
      double value = sample_plane(in + c * height * width, height, width, static_cast<double>(row) + dy,
                                  static_cast<double>(column) + dx);
      if (mask) value *= static_cast<double>(mask[slot * positions + at]);
      samples[static_cast<size_t>(c * taps + tap)] = value;
    }
}

struct DeformOptions {
  WindowAttributes attributes;
  int64_t groups, offset_groups;
};

Geometry geometry_of(const KernelCall& call, const DeformOptions& options) {
  Geometry geometry{.input = call.input(0).shape(),
                    .weights = call.input(1).shape(),
                    .output = {},
                    .window = {},
                    .groups = options.groups,
                    .offset_groups = options.offset_groups};
  const Shape &input = geometry.input, &weights = geometry.weights;
  if (input.rank() != 4 || weights.rank() != 4 || !can_group(options.groups, input[1]) ||
      input[1] / options.groups != weights[1] || weights[0] % options.groups != 0 ||
      !can_group(options.offset_groups, input[1]))
    throw Error(ErrorCode::InvalidData, "weights of shape " + weights.to_string() + " do not fit an input of shape " +
                                            input.to_string() + " in these groups; only images (rank 4) are supported");
  geometry.window = resolve_window(options.attributes, {input[2], input[3]}, {weights[2], weights[3]});
  geometry.output = Shape{input[0], weights[0], geometry.window.output[0], geometry.window.output[1]};
  const int64_t slots = options.offset_groups * weights[2] * weights[3];
  const Shape offsets{input[0], 2 * slots, geometry.output[2], geometry.output[3]};
  const Shape mask{input[0], slots, geometry.output[2], geometry.output[3]};
  if (call.input(2).shape() != offsets || (call.has_input(4) && call.input(4).shape() != mask))
    throw Error(ErrorCode::InvalidData,
                "offsets of shape " + call.input(2).shape().to_string() + ", expected " + offsets.to_string());
  if (call.has_input(3) && call.input(3).element_count() != weights[0])
    throw Error(ErrorCode::InvalidData,
                "one bias for each of " + std::to_string(weights[0]) + " channels was expected");
  return geometry;
}

void run_deform_conv(KernelCall& call, const DeformOptions& options) {
  const Geometry geometry = geometry_of(call, options);
  const Shape &input = geometry.input, &weights = geometry.weights, &to = geometry.output;
  Tensor output(DataType::Float32, to, call.allocator());
  if (output.element_count() == 0) return call.set_output(0, std::move(output));
  const int64_t positions = to[2] * to[3], inner = weights.element_count(1, 4), slots = call.input(2).shape()[1] / 2;
  std::vector<double> samples(static_cast<size_t>(input[1] * weights[2] * weights[3]));
  const float* w = call.input(1).data<float>().data();
  for (int64_t n = 0; n < to[0]; ++n)
    for (int64_t at = 0; at < positions; ++at) {
      const float* mask = call.has_input(4) ? call.input(4).data<float>().data() + n * slots * positions : nullptr;
      gather(geometry, call.input(0).data<float>().data() + n * input.element_count(1, 4),
             call.input(2).data<float>().data() + n * 2 * slots * positions, mask, at, samples);
      for (int64_t m = 0; m < to[1]; ++m) {
        const double* part = samples.data() + m / (to[1] / geometry.groups) * inner;
        double sum = call.has_input(3) ? static_cast<double>(call.input(3).data<float>()[static_cast<size_t>(m)]) : 0;
        for (int64_t i = 0; i < inner; ++i) sum += part[i] * static_cast<double>(w[m * inner + i]);
        output.mutable_data<float>()[static_cast<size_t>((n * to[1] + m) * positions + at)] = static_cast<float>(sum);
      }
    }
  call.set_output(0, std::move(output));
}

std::unique_ptr<Kernel> make_deform_conv(const KernelContext& context) {
  const DeformOptions options{.attributes = WindowAttributes::parse(context.node),
                              .groups = context.node.int_or("group", 1),
                              .offset_groups = context.node.int_or("offset_group", 1)};
  return kernel_of([options](KernelCall& call) {
    if (call.input(0).type() != DataType::Float32) throw unsupported_type(call.input(0).type());
    run_deform_conv(call, options);
  });
}

constexpr OperatorDef kDeformConvDefinitions[] = {
    {.op_type = "DeformConv",
     .signature =
         "X W offset B? mask? -> Y; dilations:ints group:int kernel_shape:ints offset_group:int pads:ints strides:ints",
     .traits = {.data_inputs = 1},
     .make = with_float<make_deform_conv>,
     .first_opset = 19},
};

}  // namespace

std::span<const OperatorDef> deform_conv_operators() { return kDeformConvDefinitions; }

}  // namespace detent
