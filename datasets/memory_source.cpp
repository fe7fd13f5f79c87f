#include <utility>

#include "datasets/base/made_sources.h"
#include "detent/base/error.h"

namespace detent {

std::shared_ptr<const DataSource> samples_from(size_t count, std::function<std::vector<Tensor>(size_t)> read) {
  return std::make_shared<ReadSource>(count, number_name,
                                      [read = std::move(read)](size_t i) { return Sample{.inputs = read(i)}; });
}

std::shared_ptr<const DataSource> samples_in_memory(std::vector<std::vector<Tensor>> samples) {
  for (size_t i = 1; i < samples.size(); ++i)
    if (samples[i].size() != samples[0].size())
      throw Error(ErrorCode::InvalidData, "sample " + std::to_string(i + 1) + " holds " +
                                              std::to_string(samples[i].size()) + " tensors, sample 1 " +
                                              std::to_string(samples[0].size()));
  const size_t count = samples.size();
  return samples_from(count, [held = std::move(samples)](size_t i) { return held[i]; });
}

}  // namespace detent
