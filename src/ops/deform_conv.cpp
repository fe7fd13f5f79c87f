// DeformConv (opset 19): a convolution that reads its input at places given by a tensor; two spatial axes.

#include <array>
#include <cmath>

#include "ops/half_precision.h"
#include "ops/kernel_function.h"
#include "ops/onednn.h"
#include "ops/op_list.h"
#include "ops/operands.h"

namespace detent {

namespace {

enum Slot : size_t { kX, kW, kOffset, kBias, kMask };

struct DeformSettings {
  std::vector<int64_t> dilations, pads, strides;
  int64_t groups = 1, offset_groups = 1;
};

/// The picture's value between four elements; zero outside.
float blended(const float* plane, int64_t height, int64_t width, float y, float x) {
  if (!(y > -1 && y < static_cast<float>(height) && x > -1 && x < static_cast<float>(width))) return 0;
  const float top = std::floor(y), left = std::floor(x);
  const auto row = static_cast<int64_t>(top), column = static_cast<int64_t>(left);
  const float dy = y - top, dx = x - left;
  const auto at = [&](int64_t r, int64_t c) {
    return r < 0 || r >= height || c < 0 || c >= width ? 0.0F : plane[r * width + c];
  };
  return (1 - dy) * ((1 - dx) * at(row, column) + dx * at(row, column + 1)) +
         dy * ((1 - dx) * at(row + 1, column) + dx * at(row + 1, column + 1));
}

class DeformConvolution {
 public:
  DeformConvolution(KernelCall& call, const DeformSettings& settings) : call_(call), s_(settings) {
    const Shape& w = call.input(kW).shape();
    if (x_.rank() != 4 || w.rank() != 4)
      throw Error(ErrorCode::Unsupported, "input of shape " + x_.to_string() + "; DeformConv is supported with two spatial axes");
    for (const size_t slot : {kX, kW, kOffset})
      if (call.input(slot).type() != DataType::Float32) throw unsupported_type(call.input(slot).type());
    kernel_ = {w[2], w[3]};
    for (size_t i = 0; i < 2; ++i) {
      const int64_t covered = (kernel_[i] - 1) * s_.dilations[i] + 1;
      out_[i] = (x_[2 + i] + s_.pads[i] + s_.pads[2 + i] - covered) / s_.strides[i] + 1;
    }
    const int64_t taps = kernel_[0] * kernel_[1];
    expect(kOffset, {x_[0], 2 * s_.offset_groups * taps, out_[0], out_[1]});
    expect(kMask, {x_[0], s_.offset_groups * taps, out_[0], out_[1]});
    expect(kBias, {w[0]});
    if (w[1] * s_.groups != x_[1] || w[0] % s_.groups != 0 || x_[1] % s_.offset_groups != 0)
      throw Error(ErrorCode::InvalidData, "weights of shape " + w.to_string() + " and " + std::to_string(s_.groups) +
                                              " groups for an input of shape " + x_.to_string());
  }

  void run() {
    const Shape& w = call_.input(kW).shape();
    const int64_t points = out_[0] * out_[1], taps = kernel_[0] * kernel_[1];
    const int64_t outputs = w[0] / s_.groups, length = w[1] * taps;
    float* y = call_.make_output(0, DataType::Float32, {x_[0], w[0], out_[0], out_[1]}).mutable_data<float>().data();
    Tensor columns(DataType::Float32, {points, length}, call_.allocator());
    for (int64_t n = 0; n < x_[0]; ++n)
      for (int64_t group = 0; group < s_.groups; ++group) {
        gather(n, group * w[1], w[1], columns.mutable_data<float>().data());
        float* out = y + (n * w[0] + group * outputs) * points;
        onednn::multiply_transposed(call_.input(kW).data<float>().data() + group * outputs * length, length,
                                    columns.data<float>().data(), out, points, outputs, points, length, false);
        if (!call_.has_input(kBias)) continue;
        for (int64_t c = 0; c < outputs; ++c)
          for (int64_t i = 0; i < points; ++i)
            out[c * points + i] += call_.input(kBias).data<float>()[static_cast<size_t>(group * outputs + c)];
      }
  }

 private:
  void expect(size_t slot, const Shape& shape) const {
    if (call_.has_input(slot) && call_.input(slot).shape() != shape)
      throw Error(ErrorCode::InvalidData, "input " + std::to_string(slot) + " has shape " +
                                              call_.input(slot).shape().to_string() + ", expected " + shape.to_string());
  }

  /// One row per output position: every tap of `count` channels from `first` on.
  void gather(int64_t n, int64_t first, int64_t count, float* columns) const {
    const int64_t points = out_[0] * out_[1], taps = kernel_[0] * kernel_[1], plane = x_[2] * x_[3];
    const float* offsets = call_.input(kOffset).data<float>().data() + n * 2 * s_.offset_groups * taps * points;
    const float* mask = call_.has_input(kMask) ? call_.input(kMask).data<float>().data() + n * s_.offset_groups * taps * points : nullptr;
    for (int64_t point = 0; point < points; ++point)
      for (int64_t c = 0; c < count; ++c) {
        const float* picture = call_.input(kX).data<float>().data() + (n * x_[1] + first + c) * plane;
        const int64_t offset_group = (first + c) / (x_[1] / s_.offset_groups);
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t at = offset_group * taps + tap;
          const int64_t row = point / out_[1] * s_.strides[0] - s_.pads[0] + tap / kernel_[1] * s_.dilations[0];
          const int64_t column = point % out_[1] * s_.strides[1] - s_.pads[1] + tap % kernel_[1] * s_.dilations[1];
          const float value = blended(picture, x_[2], x_[3], static_cast<float>(row) + offsets[2 * at * points + point],
                                      static_cast<float>(column) + offsets[(2 * at + 1) * points + point]);
          *columns++ = mask ? value * mask[at * points + point] : value;
        }
      }
  }

  KernelCall& call_;
  const DeformSettings& s_;
  const Shape& x_ = call_.input(kX).shape();
  std::array<int64_t, 2> kernel_{}, out_{};
};

std::unique_ptr<Kernel> make_deform_conv(const KernelContext& context) {
  const Node& node = context.node;
  DeformSettings settings{node.ints_or("dilations", {1, 1}), node.ints_or("pads", {0, 0, 0, 0}),
                          node.ints_or("strides", {1, 1}), node.int_or("group", 1), node.int_or("offset_group", 1)};
  if (settings.dilations.size() != 2 || settings.pads.size() != 4 || settings.strides.size() != 2 ||
      settings.groups < 1 || settings.offset_groups < 1)
    throw Error(ErrorCode::Unsupported, "DeformConv is supported with two spatial axes");
  return kernel_of([settings](KernelCall& call) { DeformConvolution(call, settings).run(); });
}

constexpr OperatorDef kDefinitions[] = {
    {.op_type = "DeformConv", .traits = {.data_inputs = 1}, .make = with_half<make_deform_conv>, .first_opset = 19},
};

}  // namespace

std::span<const OperatorDef> deform_conv_operators() { return kDefinitions; }

}  // namespace detent
