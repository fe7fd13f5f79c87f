#include "datasets/images/antialiased_resize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/index.h"

namespace detent {

namespace {

/// Bits behind the point of a weight: 32 less 8 of a pixel, one of the sign and one of a cubic kernel's overshoot.
constexpr int kWeightBits = 22;
constexpr int32_t kHalf = 1 << (kWeightBits - 1);

double reach_of(ResizeKernel kernel) { return kernel == ResizeKernel::Bilinear ? 1.0 : 2.0; }

double kernel_at(ResizeKernel kernel, double x) {
  x = std::abs(x);
  if (kernel == ResizeKernel::Bilinear) return x < 1 ? 1 - x : 0;
  constexpr double a = -0.5;
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// The source pixels of one result along an axis: `weights` of the pixels from `first` on.
struct Taps {
  int first = 0;
  std::vector<int32_t> weights;
};

Taps taps_of(int target, int from, int to, ResizeKernel kernel) {
  const double scale = static_cast<double>(from) / to, widened = std::max(scale, 1.0);
  const double reach = reach_of(kernel) * widened, centre = (target + 0.5) * scale;
  const int first = std::max(0, static_cast<int>(centre - reach + 0.5));
  const int end = std::min(from, static_cast<int>(centre + reach + 0.5));
  std::vector<double> exact;
  double sum = 0;
  for (int i = first; i < end; ++i) {
    exact.push_back(kernel_at(kernel, (i - centre + 0.5) * (1.0 / widened)));
    sum += exact.back();
  }
  Taps taps{first, {}};
  for (const double weight : exact) {
    const double scaled = (sum == 0 ? weight : weight / sum) * (1 << kWeightBits);
    taps.weights.push_back(static_cast<int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5));
  }
  return taps;
}

std::vector<Taps> taps_along(int from, int to, ResizeKernel kernel) {
  std::vector<Taps> taps;
  for (int target = 0; target < to; ++target) taps.push_back(taps_of(target, from, to, kernel));
  return taps;
}

uint8_t rounded(int32_t sum) { return static_cast<uint8_t>(std::clamp(sum >> kWeightBits, 0, 255)); }

/// Pixels without a gap between rows, to be filled.
struct Canvas {
  std::shared_ptr<std::vector<unsigned char>> bytes;
  Pixels pixels;

  Canvas(PixelSize size, int channels)
      : bytes(std::make_shared<std::vector<unsigned char>>(as_index(size.height) * as_index(size.width) *
                                                           as_index(channels))),
        pixels(bytes, bytes->data(), size, channels, Pixels::Depth::Bits8, as_index(size.width) * as_index(channels)) {}
  uint8_t* row(int y) { return bytes->data() + as_index(y) * pixels.row_bytes(); }
};

Pixels resize_rows(const Pixels& image, int width, ResizeKernel kernel) {
  const std::vector<Taps> taps = taps_along(image.size().width, width, kernel);
  const int channels = image.channels();
  Canvas result({image.size().height, width}, channels);
  for (int y = 0; y < image.size().height; ++y) {
    uint8_t* to = result.row(y);
    for (const Taps& of : taps)
      for (int c = 0; c < channels; ++c) {
        const uint8_t* from = image.row(y) + of.first * channels + c;
        int32_t sum = kHalf;
        for (const int32_t weight : of.weights) {
          sum += weight * *from;
          from += channels;
        }
        *to++ = rounded(sum);
      }
  }
  return result.pixels;
}

Pixels resize_columns(const Pixels& image, int height, ResizeKernel kernel) {
  const std::vector<Taps> taps = taps_along(image.size().height, height, kernel);
  Canvas result({height, image.size().width}, image.channels());
  const size_t length = result.pixels.row_bytes();
  std::vector<int32_t> sums(length);
  for (int y = 0; y < height; ++y) {
    const Taps& of = taps[as_index(y)];
    std::ranges::fill(sums, kHalf);
    for (size_t i = 0; i < of.weights.size(); ++i) {
      const uint8_t* from = image.row(of.first + static_cast<int>(i));
      const int32_t weight = of.weights[i];
      for (size_t x = 0; x < length; ++x) sums[x] += weight * from[x];
    }
    std::ranges::transform(sums, result.row(y), rounded);
  }
  return result.pixels;
}

}  // namespace

Pixels antialiased_resize(const Pixels& image, PixelSize size, ResizeKernel kernel) {
  const Pixels wide = image.size().width == size.width ? image : resize_rows(image, size.width, kernel);
  return wide.size().height == size.height ? wide : resize_columns(wide, size.height, kernel);
}

}  // namespace detent
