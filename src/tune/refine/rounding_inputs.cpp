#include "tune/refine/rounding_inputs.h"

#include "run/for_each_index.h"

namespace detent {

SecondMoments moments_of(const LayerVectors& vectors, const LayerMatrix& matrix, int64_t group) {
  SecondMoments moments(matrix.columns);
  for (const auto& samples : vectors)
    for (const std::vector<float>& sample : samples) {
      const size_t size = sample.size() / static_cast<size_t>(matrix.groups);
      moments.add(std::span(sample).subspan(static_cast<size_t>(group) * size, size));
    }
  return moments;
}

size_t group_size(std::span<const RoundedWeight> weights, size_t first, size_t samples, int64_t positions) {
  constexpr int64_t kGatheredBytes = int64_t{128} << 20;
  int64_t bytes = 0;
  size_t count = 0;
  for (size_t w = first; w < weights.size(); ++w, ++count) {
    const LayerMatrix& matrix = weights[w].matrix;
    bytes += static_cast<int64_t>(weights[w].readers.size() * samples * sizeof(float)) * positions * matrix.groups *
             matrix.columns;
    if (bytes > kGatheredBytes && count > 0) break;
  }
  return count;
}

void for_each_weight(std::span<const RoundedWeight> weights, size_t threads, const std::function<void(size_t)>& round) {
  constexpr int64_t kSmallColumns = 1024;
  for_each_index(weights.size(), threads, [&](size_t w) {
    if (weights[w].matrix.columns < kSmallColumns) round(w);
  });
  for (size_t w = 0; w < weights.size(); ++w)
    if (weights[w].matrix.columns >= kSmallColumns) round(w);
}

}  // namespace detent
