#include <algorithm>
#include <limits>

#include "core/index.h"
#include "ops/window/pool_backend.h"
#include "ops/window/window_loop.h"

namespace detent {

namespace {

/// A pooling that runs over all channels of one tap after the other.
class PortablePool final : public ChannelsLastPool {
 public:
  PortablePool(PoolKind kind, Window window) : kind_(kind), window_(std::move(window)) {}

  void run(const Tensor& input, Tensor& output, Workspace& /*workspace*/) const override {
    const Shape& shape = input.shape();
    const auto extents = shape.dims().subspan(2);
    const auto channels = as_index(shape[1]), pixels = as_index(Shape(extents).element_count());
    const float* image = input.data<float>().data();
    float* out = output.mutable_data<float>().data();
    for (int64_t n = 0; n < shape[0]; ++n, image += pixels * channels)
      for_each_position(window_.output, [&](int64_t, std::span<const int64_t> position) {
        pool(extents, position, image, out, channels);
        out += channels;
      });
  }

 private:
  void pool(std::span<const int64_t> extents, std::span<const int64_t> position, const float* image, float* out,
            size_t channels) const {
    int64_t count = 0;
    for_each_tap(window_, extents, position, [&](int64_t offset) {
      const float* pixel = image + as_index(offset) * channels;
      if (++count == 1) {
        std::copy_n(pixel, channels, out);
      } else if (kind_ == PoolKind::Max) {
        for (size_t c = 0; c < channels; ++c) out[c] = pixel[c] > out[c] ? pixel[c] : out[c];
      } else {
        for (size_t c = 0; c < channels; ++c) out[c] += pixel[c];
      }
    });
    if (count == 0) std::fill_n(out, channels, kind_ == PoolKind::Max ? std::numeric_limits<float>::lowest() : 0.0F);
    if (count == 0 || kind_ == PoolKind::Max) return;
    if (kind_ == PoolKind::MeanWithPadding) count = Shape(std::span(window_.kernel)).element_count();
    for (size_t c = 0; c < channels; ++c) out[c] /= static_cast<float>(count);
  }

  PoolKind kind_;
  Window window_;
};

}  // namespace

std::unique_ptr<const ChannelsLastPool> make_pool(PoolKind kind, const Shape& /*input*/, const Window& window,
                                                  const Shape& /*output*/) {
  return std::make_unique<PortablePool>(kind, window);
}

}  // namespace detent
