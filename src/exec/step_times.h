#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace detent {

/// The time of an executor, split by step, in nanoseconds summed over its runs. One per executor; merged afterwards.
struct StepTimes {
  using Clock = std::chrono::steady_clock;

  std::vector<int64_t> steps;  ///< by position in the schedule: the kernel with its reorders
  int64_t observing = 0;       ///< inside the observer
  size_t runs = 0;

  explicit StepTimes(size_t step_count) : steps(step_count) {}

  void merge(const StepTimes& other) {
    for (size_t i = 0; i < steps.size(); ++i) steps[i] += other.steps[i];
    observing += other.observing;
    runs += other.runs;
  }
  [[nodiscard]] int64_t total() const {
    int64_t sum = observing;
    for (const int64_t step : steps) sum += step;
    return sum;
  }
};

/// A guard that adds the time of its life to a counter; nullptr costs nothing.
class TimeAdder {
 public:
  explicit TimeAdder(int64_t* counter) : counter_(counter) {
    if (counter_) begin_ = StepTimes::Clock::now();
  }
  ~TimeAdder() {
    if (counter_)
      *counter_ += std::chrono::duration_cast<std::chrono::nanoseconds>(StepTimes::Clock::now() - begin_).count();
  }
  TimeAdder(const TimeAdder&) = delete;
  TimeAdder& operator=(const TimeAdder&) = delete;

 private:
  int64_t* counter_;
  StepTimes::Clock::time_point begin_;
};

}  // namespace detent
