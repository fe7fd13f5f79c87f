#include "repair/weights_on_grid.h"

#include <algorithm>
#include <cmath>

#include "core/index.h"

namespace detent {

namespace {

constexpr int kMostCode = 127;
// A float product code * scale, multiplied once more by a folded factor, is off by 127 * 3 * 2^-24 of a step at most.
constexpr float kNear = 1e-3F;
// Beyond the largest number of each channel, which is on every grid: 16 random numbers are on one of 127 grids with
// probability 127 * (2 * kNear)^16.
constexpr size_t kFewest = 16;

bool lies_on(const std::vector<float>& channel, float scale) {
  return std::ranges::all_of(channel, [scale](float number) {
    const float steps = number / scale;
    return std::abs(steps - std::round(steps)) <= kNear;
  });
}

/// Returns the coarsest grid of a channel's numbers.
std::optional<float> scale_of(const std::vector<float>& channel) {
  float most = 0;
  for (const float number : channel) most = std::max(most, std::abs(number));
  if (most == 0) return 0.0F;
  for (int code = 1; code <= kMostCode; ++code)
    if (const float scale = most / static_cast<float>(code); lies_on(channel, scale)) return scale;
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<float>> scales_of_grid(const Tensor& weight, int axis) {
  const Tensor numbers = cast(weight, DataType::Float32);
  const auto data = numbers.data<float>();
  const size_t count = axis < 0 ? 1 : as_index(weight.shape()[as_index(axis)]);
  if (data.size() < count + kFewest) return std::nullopt;
  size_t inner = 1;
  if (axis >= 0)
    for (size_t i = as_index(axis) + 1; i < weight.shape().rank(); ++i) inner *= as_index(weight.shape()[i]);
  std::vector<std::vector<float>> channels(count);
  for (size_t i = 0; i < data.size(); ++i) channels[axis < 0 ? 0 : i / inner % count].push_back(data[i]);
  std::vector<float> scales;
  for (const std::vector<float>& channel : channels) {
    const std::optional<float> scale = scale_of(channel);
    if (!scale) return std::nullopt;
    scales.push_back(*scale);
  }
  return scales;
}

}  // namespace detent
