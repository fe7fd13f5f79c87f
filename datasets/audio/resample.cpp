#include "datasets/audio/resample.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <string>

#include "core/index.h"
#include "core/memory_limit.h"
#include "core/stop.h"

namespace detent {

std::vector<float> resample(std::span<const float> in, int from, int to) {
  if (from == to) return {in.begin(), in.end()};
  constexpr double kCrossings = 6, kRolloff = 0.99;
  const int64_t divisor = std::gcd(from, to), step = from / divisor, phases = to / divisor;
  // Positions and the band in samples of the input.
  const double band = kRolloff * std::min(1.0, static_cast<double>(phases) / static_cast<double>(step));
  const auto reach = static_cast<int64_t>(std::ceil(kCrossings / band));
  const int64_t taps = 2 * reach + 1, samples = std::ssize(in), count = (samples * phases + step - 1) / step;
  check_memory((as_index(phases) * as_index(taps)) * sizeof(double) + as_index(count) * sizeof(float), [&] {
    return "resampling from " + std::to_string(from) + " to " + std::to_string(to) + " samples a second";
  });

  // The weights of each phase, for the input from `reach` in front of its position on.
  std::vector<double> weights(as_index(phases * taps));
  for (int64_t phase = 0; phase < phases; ++phase) {
    stop_if_interrupted();
    const int64_t behind = phase * step % phases;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const double distance =
          band * (static_cast<double>(tap - reach) - static_cast<double>(behind) / static_cast<double>(phases));
      if (std::abs(distance) >= kCrossings) continue;
      const double angle = std::numbers::pi * distance, window = std::cos(angle / kCrossings / 2);
      weights[as_index(phase * taps + tap)] = band * (angle == 0 ? 1 : std::sin(angle) / angle) * window * window;
    }
  }

  std::vector<float> out(as_index(count));
  for (int64_t n = 0; n < count; ++n) {
    const int64_t first = n * step / phases - reach;
    const double* const weight = &weights[as_index(n % phases * taps)];
    double sum = 0;
    for (int64_t k = std::max<int64_t>(0, first); k < std::min(samples, first + taps); ++k)
      sum += weight[k - first] * in[as_index(k)];
    out[as_index(n)] = static_cast<float>(sum);
  }
  return out;
}

}  // namespace detent
