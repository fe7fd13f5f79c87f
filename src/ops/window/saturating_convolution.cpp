#include <algorithm>
#include <cstring>

#include "core/index.h"
#include "core/stop.h"
#include "ops/operands.h"
#include "ops/window/post_ops.h"
#include "ops/window/saturating_layer.h"
#include "ops/window/window.h"

namespace detent {

namespace {

/// A walk over the taps of a window, position by position.
class TapWalk {
 public:
  /// extents  of the input's spatial axes.
  TapWalk(const Window& window, std::vector<int64_t> extents) : window_(window), extents_(std::move(extents)) {}

  [[nodiscard]] int64_t positions() const { return Shape(std::span(window_.output)).element_count(); }
  [[nodiscard]] int64_t taps() const { return Shape(std::span(window_.kernel)).element_count(); }

  /// Calls see(tap, pixel) for every tap, pixel being -1 outside.
  template <class See>
  void visit(int64_t position, See&& see) const {
    const size_t axes = extents_.size();
    int64_t begin[Shape::kMaxRank] = {}, at[Shape::kMaxRank] = {};
    for (size_t axis = axes, rest = as_index(position); axis-- > 0;) {
      const auto extent = as_index(window_.output[axis]);
      begin[axis] = as_extent(rest % extent) * window_.strides[axis] - window_.pad_begin[axis];
      rest /= extent;
    }
    for (int64_t tap = 0, all = taps(); tap < all; ++tap) {
      int64_t pixel = 0;
      for (size_t axis = 0; axis < axes && pixel >= 0; ++axis) {
        const int64_t in = begin[axis] + at[axis] * window_.dilations[axis];
        pixel = in >= 0 && in < extents_[axis] ? pixel * extents_[axis] + in : -1;
      }
      see(tap, pixel);
      for (size_t axis = axes; axis-- > 0;) {
        if (++at[axis] < window_.kernel[axis]) break;
        at[axis] = 0;
      }
    }
  }

 private:
  const Window& window_;
  std::vector<int64_t> extents_;
};

class SaturatingConvolution final : public Kernel {
 public:
  SaturatingConvolution(const KernelContext& context, std::unique_ptr<const SaturatingLayer> layer)
      : layer_(std::move(layer)), attributes_(WindowAttributes::parse(context.node)),
        groups_(context.node.int_or("group", 1)), post_ops_(context) {
    const Shape& shape = layer_->weights().shape();
    if (groups_ < 1 || shape[0] % groups_ != 0)
      throw Error(ErrorCode::InvalidModel,
                  std::to_string(groups_) + " groups do not divide " + std::to_string(shape[0]) + " output channels");
    if (is_depthwise()) return;
    for (int64_t group = 0; group < groups_; ++group)
      matrices_.emplace_back(layer_->weights(), layer_->order(), group * group_outputs(), group_outputs());
  }

  void run(KernelCall& call) const override {
    const Tensor& given = call.input(0);
    const Shape &in = given.shape(), &weights = layer_->weights().shape();
    layer_->check_type(given);
    if (in.rank() != weights.rank() || in[1] != weights[1] * groups_)
      throw Error(ErrorCode::InvalidData, "an input of shape " + in.to_string() + " does not fit weights of shape " +
                                              weights.to_string() + " in " + std::to_string(groups_) + " groups");
    const Window window = resolve_window(attributes_, {in.begin() + 2, in.end()}, {weights.begin() + 2, weights.end()});
    const Shape to = window.output_shape(in[0], weights[0]);
    const Tensor codes = layer_->codes(to_channels_last(given, call.allocator()), call.allocator());
    Tensor& output = call.make_output(0, DataType::Float32, to, Layout::ChannelsLast);
    const TapWalk walk(window, {in.begin() + 2, in.end()});
    const int64_t pixels = in.element_count(2, in.rank());
    const uint8_t* const from = codes.data<uint8_t>().data();
    float* const out = output.mutable_data<float>().data();
    for (int64_t n = 0; n < in[0] && output.element_count() > 0; ++n) {
      const uint8_t* image = from + n * pixels * in[1];
      float* result = out + n * walk.positions() * to[1];
      if (is_depthwise())
        run_depthwise(walk, image, result);
      else
        run_groups(walk, image, in[1], result, call.allocator());
    }
    post_ops_.apply(call);
  }

 private:
  [[nodiscard]] bool is_depthwise() const { return layer_->order().kind == PairOrder::Kind::None; }
  [[nodiscard]] int64_t group_outputs() const { return layer_->outputs() / groups_; }

  /// Computes groups of one channel and one output, with exact sums.
  void run_depthwise(const TapWalk& walk, const uint8_t* image, float* out) const {
    const int64_t channels = layer_->outputs(), taps = walk.taps();
    const auto weights = layer_->weights().data<int8_t>();
    std::vector<int16_t> by_tap(weights.size());
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t tap = 0; tap < taps; ++tap) by_tap[as_index(tap * channels + c)] = weights[as_index(c * taps + tap)];
    const std::vector<uint8_t> outside(as_index(channels), layer_->input_zero());
    std::vector<int32_t> sums(as_index(channels));
    for (int64_t position = 0; position < walk.positions(); ++position) {
      std::ranges::fill(sums, 0);
      walk.visit(position, [&](int64_t tap, int64_t pixel) {
        const uint8_t* codes = pixel < 0 ? outside.data() : image + pixel * channels;
        const int16_t* factors = &by_tap[as_index(tap * channels)];
        for (int64_t c = 0; c < channels; ++c) sums[as_index(c)] += int32_t{codes[c]} * factors[c];
      });
      layer_->finish(sums.data(), 0, channels, out + position * channels);
    }
  }

  /// Multiplies rows of codes, kernel row by kernel row and channel by channel, with the packed weights; a few
  /// positions at a time.
  void run_groups(const TapWalk& walk, const uint8_t* image, int64_t channels, float* out, Allocator& allocator) const {
    constexpr int64_t kPositions = 64;
    const int64_t inner = matrices_.front().inner(), sums_row = matrices_.front().sums_row();
    const int64_t each = channels / groups_, outputs = group_outputs();
    Tensor rows(DataType::UInt8, Shape{kPositions, inner}, allocator);
    Tensor sums(DataType::Int32, Shape{kPositions, sums_row}, allocator);
    uint8_t* const row = rows.mutable_data<uint8_t>().data();
    int32_t* const sum = sums.mutable_data<int32_t>().data();
    for (int64_t begin = 0; begin < walk.positions(); begin += kPositions) {
      stop_if_interrupted();
      const int64_t count = std::min(kPositions, walk.positions() - begin);
      for (int64_t group = 0; group < groups_; ++group) {
        for (int64_t p = 0; p < count; ++p) {
          uint8_t* to = row + p * inner;
          walk.visit(begin + p, [&](int64_t, int64_t pixel) {
            if (pixel < 0)
              std::fill_n(to, each, layer_->input_zero());
            else
              std::memcpy(to, image + pixel * channels + group * each, as_index(each));
            to += each;
          });
          std::fill(to, row + (p + 1) * inner, uint8_t{0});
        }
        matrices_[as_index(group)].multiply(row, count, sum);
        for (int64_t p = 0; p < count; ++p)
          layer_->finish(sum + p * sums_row, group * outputs, outputs,
                         out + (begin + p) * layer_->outputs() + group * outputs);
      }
    }
  }

  std::unique_ptr<const SaturatingLayer> layer_;
  WindowAttributes attributes_;
  int64_t groups_;
  PostOps post_ops_;
  std::vector<SaturatingMatrix> matrices_;  // one a group; none for a depthwise convolution
};

}  // namespace

std::unique_ptr<Kernel> make_saturating_convolution(const KernelContext& context) {
  auto layer = SaturatingLayer::find(context);
  if (!layer) return nullptr;
  return std::make_unique<SaturatingConvolution>(context, std::move(layer));
}

}  // namespace detent
