#include "run/deciding_samples.h"

#include "core/index.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"

namespace detent {

std::vector<size_t> deciding_samples(const DataSource& source) { return samples_by_hash(source, kDecidingSamples); }

std::vector<size_t> samples_beside_deciding(const DataSource& source, size_t most) {
  std::vector<size_t> all = samples_by_hash(source, kDecidingSamples + most);
  if (all.size() < kDecidingSamples + kFewestToJudge) return deciding_samples(source);
  all.erase(all.begin(), all.begin() + as_extent(kDecidingSamples));
  return all;
}

SampleSplit::SampleSplit(const DataSource& source)
    : measuring(samples_beside_deciding(source, kMeasuringSamples)), deciding(deciding_samples(source)) {
  if (measuring != deciding) return;
  measuring.erase(measuring.begin(), measuring.begin() + as_extent(measuring.size() / 2));
  deciding.resize(deciding.size() / 2);
}

}  // namespace detent
