#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/index.h"
#include "core/stop.h"
#include "ops/kernel_function.h"
#include "ops/op_list.h"
#include "ops/operands.h"
#include "ops/transposed_product.h"
#include "ops/types/float_types.h"
#include "ops/window/window.h"

namespace detent {

namespace {

/// The four pixels round a place and their weights.
struct Corners {
  std::array<const float*, 4> pixel;  // all channels of each
  std::array<float, 4> weight;
};

/// Returns the corners of bilinear sampling at (y, x) of a channels-last image; `zeros` stands for pixels outside.
Corners corners_at(const float* image, const Shape& shape, const float* zeros, double y, double x) {
  const int64_t channels = shape[1], height = shape[2], width = shape[3];
  if (!(y > -1 && x > -1 && y < static_cast<double>(height) && x < static_cast<double>(width)))
    return {{zeros, zeros, zeros, zeros}, {}};
  const auto top = static_cast<int64_t>(std::floor(y)), left = static_cast<int64_t>(std::floor(x));
  const auto down = static_cast<float>(y - static_cast<double>(top));
  const auto right = static_cast<float>(x - static_cast<double>(left));
  const auto pixel = [&](int64_t r, int64_t c) {
    const bool inside = r >= 0 && r < height && c >= 0 && c < width;
    return inside ? image + (r * width + c) * channels : zeros;
  };
  return {{pixel(top, left), pixel(top, left + 1), pixel(top + 1, left), pixel(top + 1, left + 1)},
          {(1 - down) * (1 - right), (1 - down) * right, down * (1 - right), down * right}};
}

struct Geometry {
  Shape input, weights, output;
  Window window;
  int64_t groups = 1, offset_groups = 1;

  [[nodiscard]] int64_t positions() const { return output[2] * output[3]; }
  [[nodiscard]] int64_t taps() const { return weights[2] * weights[3]; }
};

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

/// A sampler of one image: the pixels that the kernel reads at output positions become rows of matrices, one matrix a
/// group.
class Sampler {
 public:
  /// image  channels-last. offsets, mask  of the image; `mask` may be nullptr. All outlive this object.
  Sampler(const Geometry& geometry, const float* image, const float* offsets, const float* mask)
      : geometry_(geometry), image_(image), offsets_(offsets), mask_(mask), zeros_(as_index(geometry.input[1])) {}

  /// Fills rows[group][at - first] for positions [first, end): the samples of the group's channels, tap by tap.
  void gather(int64_t first, int64_t end, float* rows) const {
    const int64_t taps = geometry_.taps(), inner = taps * geometry_.weights[1];
    const int64_t width = geometry_.input[1] / geometry_.offset_groups;  // channels that share an offset
    for (int64_t at = first; at < end; ++at)
      for (int64_t slot = 0; slot < geometry_.offset_groups * taps; ++slot) {
        const Corners corners = corners_for(slot, at);
        const int64_t tap = slot % taps, last = (slot / taps + 1) * width;
        for (int64_t c = last - width; c < last;) {
          const int64_t group = c / geometry_.weights[1], group_end = (group + 1) * geometry_.weights[1];
          const int64_t count = std::min(last, group_end) - c;
          float* out =
              rows + (group * (end - first) + at - first) * inner + (tap + 1) * geometry_.weights[1] - group_end + c;
          blend(corners, c, count, out);
          c += count;
        }
      }
  }

 private:
  [[nodiscard]] Corners corners_for(int64_t slot, int64_t at) const {
    const Window& window = geometry_.window;
    const int64_t positions = geometry_.positions(), tap = slot % geometry_.taps();
    const int64_t y = at / window.output[1], x = at % window.output[1];
    const int64_t row = y * window.strides[0] - window.pad_begin[0] + tap / window.kernel[1] * window.dilations[0];
    const int64_t column = x * window.strides[1] - window.pad_begin[1] + tap % window.kernel[1] * window.dilations[1];
    Corners corners =
        corners_at(image_, geometry_.input, zeros_.data(),
                   static_cast<double>(row) + static_cast<double>(offsets_[2 * slot * positions + at]),
                   static_cast<double>(column) + static_cast<double>(offsets_[(2 * slot + 1) * positions + at]));
    if (mask_)
      for (float& weight : corners.weight) weight *= mask_[slot * positions + at];
    return corners;
  }

  static void blend(const Corners& corners, int64_t from, int64_t count, float* out) {
    const auto [a, b, c, d] = corners.pixel;
    const auto [wa, wb, wc, wd] = corners.weight;
    for (int64_t i = 0; i < count; ++i)
      out[i] = (wa * a[from + i] + wb * b[from + i]) + (wc * c[from + i] + wd * d[from + i]);
  }

  const Geometry& geometry_;
  const float *image_, *offsets_, *mask_;
  std::vector<float> zeros_;
};

void run_deform_conv(KernelCall& call, const DeformOptions& options) {
  const Geometry geometry = geometry_of(call, options);
  const Shape &input = geometry.input, &weights = geometry.weights, &to = geometry.output;
  Tensor output(DataType::Float32, to, call.allocator());
  if (output.element_count() == 0) return call.set_output(0, std::move(output));
  const int64_t positions = geometry.positions(), taps = geometry.taps(), inner = weights.element_count(1, 4);
  const Tensor image = to_channels_last(call.input(0), call.allocator());
  const Tensor filters = to_channels_last(call.input(1), call.allocator());  // tap by tap, as the samples
  const float* offsets = call.input(2).data<float>().data();
  const float* mask = call.has_input(4) ? call.input(4).data<float>().data() : nullptr;
  const int64_t each = to[1] / geometry.groups, slots = geometry.offset_groups * taps;
  constexpr int64_t kBlock = int64_t{1} << 17;  // samples: half a MiB stays in the cache until it is multiplied
  const int64_t block =
      std::min(positions, std::max<int64_t>(16, kBlock / std::max<int64_t>(1, inner * geometry.groups)));
  Tensor rows(DataType::Float32, Shape{geometry.groups, block, inner}, call.allocator());
  for (int64_t n = 0; n < to[0]; ++n) {
    float* out = output.mutable_data<float>().data() + n * to[1] * positions;
    for (int64_t m = 0; m < to[1]; ++m)
      std::fill_n(out + m * positions, positions, call.has_input(3) ? call.input(3).data<float>()[as_index(m)] : 0.0F);
    const Sampler sampler(geometry, image.data<float>().data() + n * input.element_count(1, 4),
                          offsets + n * 2 * slots * positions, mask ? mask + n * slots * positions : nullptr);
    for (int64_t first = 0; first < positions; first += block) {
      stop_if_interrupted();
      const int64_t count = std::min(block, positions - first);
      sampler.gather(first, first + count, rows.mutable_data<float>().data());
      for (int64_t group = 0; group < geometry.groups; ++group)
        multiply_transposed({.a = filters.data<float>().data() + group * each * inner,
                             .a_row = inner,
                             .b = rows.data<float>().data() + group * count * inner,
                             .c = out + group * each * positions + first,
                             .c_row = positions,
                             .m = each,
                             .n = count,
                             .k = inner,
                             .adds = true});
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

}  // namespace

std::vector<OperatorDef> deform_conv_operators() {
  return {
      {"DeformConv", {.data_inputs = 1}, with_float<make_deform_conv>, 19},
  };
}

}  // namespace detent
