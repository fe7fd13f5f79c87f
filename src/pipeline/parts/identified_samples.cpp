#include "pipeline/parts/identified_samples.h"

#include <algorithm>
#include <span>
#include <utility>

#include "calibrate/sample_tracker.h"

namespace detent {

IdentifiedSamples::IdentifiedSamples(std::unique_ptr<DataSource> source)
    : WrappedSource(std::move(source)), seen_(size()) {}

Sample IdentifiedSamples::read(size_t i) const {
  Sample sample = WrappedSource::read(i);
  if (seen_[i].exchange(true)) return sample;
  const std::vector<TableSample> identity = SampleTracker::identify(std::span(&sample, 1));
  const std::scoped_lock lock(mutex_);
  identities_.push_back(identity.front());
  return sample;
}

size_t IdentifiedSamples::count() const {
  const std::scoped_lock lock(mutex_);
  return identities_.size();
}

std::vector<TableSample> IdentifiedSamples::identities() const {
  const std::scoped_lock lock(mutex_);
  return identities_;
}

std::string IdentifiedSamples::digest() const {
  const std::scoped_lock lock(mutex_);
  std::vector<TableSample> sorted = identities_;
  std::ranges::sort(sorted);
  return sample_digest(sorted);
}

}  // namespace detent
