#include "ops/sample/resize_taps.h"
#include "core/saturated.h"

#include <algorithm>
#include <cmath>

namespace detent {

namespace {

float input_coordinate(const ResizeAxis& axis, CoordinateMode mode, int64_t o) {
  const auto x = static_cast<float>(o), in = static_cast<float>(axis.in), out = static_cast<float>(axis.out);
  switch (mode) {
    case CoordinateMode::HalfPixel: return (x + 0.5F) / axis.scale - 0.5F;
    case CoordinateMode::HalfPixelSymmetric: {
      const float adjustment = out / (axis.scale * in);
      const float offset = in / 2 * (1 - adjustment);
      return offset + (x + 0.5F) / axis.scale - 0.5F;
    }
    case CoordinateMode::PytorchHalfPixel: return axis.out > 1 ? (x + 0.5F) / axis.scale - 0.5F : 0.0F;
    case CoordinateMode::AlignCorners: return axis.out > 1 ? x * (in - 1) / (out - 1) : 0.0F;
    case CoordinateMode::Asymmetric: return x / axis.scale;
    case CoordinateMode::TfHalfPixelForNearest: return (x + 0.5F) / axis.scale;
    case CoordinateMode::TfCropAndResize:
      return axis.out > 1 ? axis.roi_start * (in - 1) + x * (axis.roi_end - axis.roi_start) * (in - 1) / (out - 1)
                          : 0.5F * (axis.roi_start + axis.roi_end) * (in - 1);
  }
  return x;
}

int64_t nearest_index(float x, NearestMode mode, const ResizeAxis& axis) {
  float rounded = x;
  switch (mode) {
    case NearestMode::RoundPreferFloor: rounded = std::ceil(x - 0.5F); break;
    case NearestMode::RoundPreferCeil: rounded = std::floor(x + 0.5F); break;
    case NearestMode::Floor: rounded = std::floor(x); break;
    case NearestMode::Ceil: rounded = std::ceil(x); break;
    case NearestMode::FloorUpCeilDown: rounded = axis.scale < 1 ? std::ceil(x) : std::floor(x); break;
  }
  return std::clamp(saturated<int64_t>(rounded), int64_t{0}, axis.in - 1);
}

/// Weight of a sample `distance` away. Cubic: R. Keys, "Cubic convolution interpolation for digital image processing",
/// 1981.
float kernel_weight(const ResizeOptions& options, float distance) {
  const float d = std::abs(distance), a = options.cubic_coefficient;
  if (options.mode == ResizeMode::Linear) return std::max(0.0F, 1 - d);
  if (d <= 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

/// How far from a place samples count: further with antialias on the way down.
float reach_of(const ResizeAxis& axis, const ResizeOptions& options) {
  const float stretch = options.antialias ? std::min(axis.scale, 1.0F) : 1.0F;
  return (options.mode == ResizeMode::Linear ? 1.0F : 2.0F) / stretch;
}

/// All samples under the kernel around x; beyond the border the edge counts again, or not at all (exclude_outside).
void add_kernel_taps(const ResizeAxis& axis, const ResizeOptions& options, float x, ResizeTaps& taps) {
  const float stretch = options.antialias ? std::min(axis.scale, 1.0F) : 1.0F;
  const float reach = reach_of(axis, options);
  const bool skip_outside = options.exclude_outside && (options.antialias || options.mode == ResizeMode::Cubic);
  const size_t begin = taps.index.size();
  float sum = 0;
  // Further out every tap is the edge; a region of interest may lie anywhere, or be no number.
  x = std::isnan(x) ? 0 : std::clamp(x, -reach - 1, static_cast<float>(axis.in) + reach + 1);
  for (auto i = static_cast<int64_t>(std::floor(x - reach)) + 1; static_cast<float>(i) < x + reach; ++i) {
    const float weight = kernel_weight(options, (static_cast<float>(i) - x) * stretch);
    if (weight == 0 || (skip_outside && (i < 0 || i >= axis.in))) continue;
    taps.index.push_back(std::clamp(i, int64_t{0}, axis.in - 1));
    taps.weight.push_back(weight);
    sum += weight;
  }
  if (!(skip_outside || options.antialias) || sum == 0) return;
  for (size_t i = begin; i < taps.weight.size(); ++i) taps.weight[i] /= sum;
}

}  // namespace

double kernel_width(const ResizeAxis& axis, const ResizeOptions& options) {
  return options.mode == ResizeMode::Nearest ? 1 : 2 * static_cast<double>(reach_of(axis, options)) + 1;
}

ResizeTaps make_taps(const ResizeAxis& axis, const ResizeOptions& options) {
  ResizeTaps taps;
  taps.first.push_back(0);
  for (int64_t o = 0; o < axis.out; ++o) {
    const float x = input_coordinate(axis, options.coordinates, o);
    const bool outside =
        options.coordinates == CoordinateMode::TfCropAndResize && (x < 0 || x > static_cast<float>(axis.in - 1));
    if (!outside && options.mode == ResizeMode::Nearest) {
      taps.index.push_back(nearest_index(x, options.nearest, axis));
      taps.weight.push_back(1);
    } else if (!outside) {
      // Linear never looks beyond the border: with the coordinate clamped the edge repeats as well.
      const bool clamped = options.mode == ResizeMode::Linear && !options.antialias;
      add_kernel_taps(axis, options, clamped ? std::clamp(x, 0.0F, static_cast<float>(axis.in - 1)) : x, taps);
    }
    taps.first.push_back(static_cast<int64_t>(taps.index.size()));
  }
  return taps;
}

}  // namespace detent
