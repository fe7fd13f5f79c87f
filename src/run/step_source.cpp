#include "run/step_source.h"

#include <algorithm>
#include <thread>

#include "detent/base/error.h"

namespace detent {

namespace {

/// Samples whose states are kept while threads read: in order, one ends while the next begins.
constexpr size_t kWalks = 2;

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
  if (!walk->way) walk->way.emplace(*model_, plan_, whole_->read(sample));
  StepWalk::Teacher teacher;
  if (teacher_) teacher = [&](size_t taught) { return teacher_->read(sample * steps + taught); };
  while (walk->way->end() <= step) walk->way->take_step(kept_states_, teacher);
  Sample found = walk->way->step(step);
  found.index = i, found.name = sample_name(i), found.batch_axes = batch_axes_;
  return found;
}

std::shared_ptr<StepSource::Walk> StepSource::walk_of(size_t sample) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& walk : walks_)
    if (walk->sample == sample) return walk;
  walks_.push_front(std::make_shared<Walk>());
  walks_.front()->sample = sample;
  if (walks_.size() > kWalks) walks_.pop_back();
  return walks_.front();
}

}  // namespace detent
