#include "run/step_source.h"

#include <algorithm>
#include <thread>

#include "detent/base/error.h"

namespace detent {

namespace {

/// Samples whose states are kept while threads read: in order, one ends while the next begins.
constexpr size_t kWalks = 2;
/// Passes read the steps of a sample in any order and again: what a sample and all together may keep for that.
constexpr size_t kKeptOfOne = size_t{16} << 20, kKept = size_t{256} << 20;

}  // namespace

StepSource::StepSource(std::unique_ptr<DataSource> whole, std::unique_ptr<const StepModel> model, Recurrence recurrence,
                       std::span<const InputSpec> inputs, const DataSource* teacher)
    : whole_(std::move(whole)), model_(std::move(model)), plan_(std::move(recurrence), inputs), teacher_(teacher),
      // A stream reads at most twice as many samples ahead as it has threads.
      kept_states_(2 * std::max(1U, std::thread::hardware_concurrency()) + 1) {
  for (const InputSpec& spec : inputs) batch_axes_.push_back(spec.batch_axis.value_or(kNoBatchAxis));
}

std::string StepSource::sample_name(size_t i) const {
  const size_t steps = plan_.recurrence.steps;
  return whole_->sample_name(i / steps) + " step " + std::to_string(i % steps + 1);
}

Sample StepSource::read(size_t i) const {
  const size_t steps = plan_.recurrence.steps, sample = i / steps, step = i % steps;
  std::shared_ptr<Walk> walk = walk_of(sample);
  std::unique_lock lock(walk->mutex);
  if (walk->way && step < walk->way->first()) {  // its states are gone
    lock.unlock();
    walk = std::make_shared<Walk>();
    walk->sample = sample;
    lock = std::unique_lock(walk->mutex);
  }
  if (!walk->way) walk->way.emplace(*model_, plan_, std::vector<Sample>{whole_->read(sample)});
  StepWalk::Teacher teacher;
  if (teacher_) teacher = [&](size_t taught) { return teacher_->read(sample * steps + taught); };
  const bool had = walk->way->end() > step;
  while (walk->way->end() <= step)
    walk->way->take_step(walk->way->bytes() > kKeptOfOne ? kept_states_ : steps, teacher);
  if (walk->way->end() == steps) walk->way->finish();
  if (!had) note_bytes(*walk, walk->way->bytes());
  Sample found = walk->way->step(step);
  found.index = i, found.name = sample_name(i), found.batch_axes = batch_axes_;
  return found;
}

std::shared_ptr<StepSource::Walk> StepSource::walk_of(size_t sample) const {
  const std::scoped_lock lock(mutex_);
  const auto known = std::ranges::find(walks_, sample, [](const auto& walk) { return walk->sample; });
  if (known != walks_.end()) {
    walks_.splice(walks_.begin(), walks_, known);
    return walks_.front();
  }
  walks_.push_front(std::make_shared<Walk>());
  walks_.front()->sample = sample;
  return walks_.front();
}

void StepSource::note_bytes(Walk& walk, size_t bytes) const {
  const std::scoped_lock lock(mutex_);
  const bool is_there = std::ranges::any_of(walks_, [&](const auto& one) { return one.get() == &walk; });
  if (is_there) bytes_ += bytes - walk.bytes;
  walk.bytes = bytes;
  const auto is_large = [&] {
    return bytes_ > kKept || std::ranges::any_of(walks_, [](const auto& one) { return one->bytes > kKeptOfOne; });
  };
  while (walks_.size() > kWalks && is_large()) {
    bytes_ -= walks_.back()->bytes;
    walks_.pop_back();
  }
}

}  // namespace detent
