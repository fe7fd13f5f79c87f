#include "core/running_steps.h"

#include <fmt/core.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/index.h"
#include "core/stopwatch.h"

namespace detent {

struct StepList {
  std::mutex mutex;  // a listed run and its graph live until this is released
  std::vector<StepTeller*> runs;
  Stopwatch clock;
  std::atomic<bool> watched{false};

  static StepList& instance() {
    static StepList list;
    return list;
  }

  [[nodiscard]] std::optional<RunningStep> look_at(StepTeller& run) const {
    const uint64_t step = run.step_.load(std::memory_order_relaxed);
    if (step == StepTeller::kNone) return std::nullopt;
    if (step != run.seen_) {
      run.seen_ = step;
      run.seen_at_ = clock.seconds();
    }
    RunningStep seen{.node = run.describe_(as_index(step - 1)), .seconds = clock.seconds() - run.seen_at_};
    seen.multiply_adds = run.fixed_.load(std::memory_order_relaxed);
    if (const size_t rank = run.rank_.load(std::memory_order_acquire); rank > 0) {
      Shape shape;
      for (size_t i = 0; i + 1 < rank; ++i) shape.push_back(run.extents_[i].load(std::memory_order_relaxed));
      seen.multiply_adds +=
          run.each_.load(std::memory_order_relaxed) * static_cast<double>(std::max<int64_t>(shape.element_count(), 0));
      seen.output = shape;
    }
    // The next step may have begun meanwhile; its numbers do not belong to this one.
    return run.step_.load(std::memory_order_acquire) == step ? std::optional(seen) : std::nullopt;
  }

  [[nodiscard]] std::vector<RunningStep> look() const {
    std::vector<RunningStep> steps;
    std::vector<const StepTeller*> of;
    for (StepTeller* run : runs) {
      std::optional<RunningStep> seen = look_at(*run);
      if (!seen) continue;
      const auto outer = std::ranges::find(of, run->outer_);
      if (outer != of.end()) seen->outer = as_index(outer - of.begin());
      of.push_back(run);
      steps.push_back(*std::move(seen));
    }
    return steps;
  }
};

namespace {

thread_local StepTeller* innermost = nullptr;

std::string text_of(const RunningStep& step) {
  if (!step.output) return step.node;
  return step.node.substr(0, step.node.size() - 1) + ", output " + step.output->to_string() + ")";
}

}  // namespace

StepTeller::StepTeller(std::function<std::string(size_t)> describe) : describe_(std::move(describe)) {
  StepList& list = StepList::instance();
  if (!list.watched.load(std::memory_order_relaxed)) return;
  listed_ = true;
  outer_ = std::exchange(innermost, this);
  const std::scoped_lock lock(list.mutex);
  list.runs.push_back(this);
}

StepTeller::~StepTeller() {
  if (!listed_) return;
  innermost = outer_;
  StepList& list = StepList::instance();
  const std::scoped_lock lock(list.mutex);
  list.runs.erase(std::ranges::find(list.runs, this));
}

void StepTeller::begin(size_t step, double fixed, double each) {
  rank_.store(0, std::memory_order_relaxed);
  fixed_.store(fixed, std::memory_order_relaxed);
  each_.store(each, std::memory_order_relaxed);
  step_.store(step + 1, std::memory_order_release);
}

void StepTeller::output(const Shape& shape) {
  for (size_t i = 0; i < shape.rank(); ++i) extents_[i].store(shape[i], std::memory_order_relaxed);
  rank_.store(shape.rank() + 1, std::memory_order_release);
}

void watch_steps() { StepList::instance().watched.store(true, std::memory_order_relaxed); }

std::vector<RunningStep> running_steps() {
  StepList& list = StepList::instance();
  const std::scoped_lock lock(list.mutex);
  return list.look();
}

const RunningStep* slowest_step(const std::vector<RunningStep>& steps, double seconds) {
  const RunningStep* slowest = nullptr;
  for (const RunningStep& step : steps)
    if (!step.outer && step.seconds >= seconds && (!slowest || step.seconds > slowest->seconds)) slowest = &step;
  if (!slowest) return nullptr;
  for (const RunningStep& step : steps)  // an inner step stands behind its outer one
    if (step.outer && &steps[*step.outer] == slowest && step.seconds >= seconds) slowest = &step;
  return slowest;
}

std::string slow_step_text(const RunningStep& step) {
  return fmt::format("{} has been running for {:.0f} s", text_of(step), step.seconds);
}

std::string absurd_work_text(const RunningStep& step) {
  constexpr double kOperationsPerSecond = 1e10, kHour = 3600, kDay = 24 * kHour;
  const double seconds = 2 * step.multiply_adds / kOperationsPerSecond;
  if (seconds <= kHour) return {};
  const std::string time =
      seconds < 2 * kDay ? fmt::format("{:.1f} hours", seconds / kHour) : fmt::format("{:.0f} days", seconds / kDay);
  return fmt::format("{} takes {:.1e} multiply-adds for one sample, about {} at 10 GFLOP/s", text_of(step),
                     step.multiply_adds, time);
}

}  // namespace detent
