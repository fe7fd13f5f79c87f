#include "calibrators/signed_bins.h"

namespace detent {
size_t bins_in_use(std::span<const uint64_t> side) {
  size_t used = side.size();
  while (used > 0 && side[used - 1] == 0) --used;
  return used;
}

SignedBins signed_bins(const Histogram& histogram) {
  const size_t negative = bins_in_use(histogram.negative());
  const size_t positive = bins_in_use(histogram.positive());
  SignedBins bins{{}, negative};
  bins.counts.reserve(negative + positive);
  for (size_t i = negative; i-- > 0;) bins.counts.push_back(static_cast<double>(histogram.negative()[i]));
  for (size_t i = 0; i < positive; ++i) bins.counts.push_back(static_cast<double>(histogram.positive()[i]));
  return bins;
}

SignedBins magnitude_bins(const Histogram& histogram) {
  const std::vector<uint64_t> counts = histogram.magnitude_counts();
  return {{counts.begin(), counts.end()}, 0};
}

}  // namespace detent
