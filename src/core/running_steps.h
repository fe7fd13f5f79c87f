#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/tensor.h"

namespace detent {

/// The current step of one run of a graph. The thread that runs it writes with relaxed stores; running_steps() reads.
/// Without watch_steps() it costs only those stores.
class StepTeller {
 public:
  /// describe  returns "node 'conv_7' (Conv)" for the number of a step; called from other threads while this object
  /// lives
  explicit StepTeller(std::function<std::string(size_t step)> describe);
  ~StepTeller();
  StepTeller(const StepTeller&) = delete;
  StepTeller& operator=(const StepTeller&) = delete;

  /// Begins a step. Its multiply-adds, as far as its inputs tell: `fixed`, and `each` for every element of its output;
  /// 0: unknown.
  void begin(size_t step, double fixed, double each);
  /// Says that the step has allocated its output and begins to compute it.
  void output(const Shape& shape);

 private:
  friend struct StepList;
  static constexpr uint64_t kNone = 0;

  std::function<std::string(size_t)> describe_;
  bool listed_ = false;
  StepTeller* outer_ = nullptr;        // the run whose If, Loop or Scan this one is inside
  std::atomic<uint64_t> step_{kNone};  // its number + 1
  std::atomic<double> fixed_{0}, each_{0};
  std::atomic<size_t> rank_{0};  // + 1; 0: the output has no shape yet
  std::array<std::atomic<int64_t>, Shape::kMaxRank> extents_{};
  uint64_t seen_ = kNone;  // used by the watcher only, like seen_at_
  double seen_at_ = 0;
};

/// A step that runs now.
struct RunningStep {
  std::string node;             ///< "node 'conv_7' (Conv)"
  std::optional<Shape> output;  ///< once the step knows it
  double seconds = 0;           ///< since running_steps() saw it first
  double multiply_adds = 0;     ///< 0: unknown
  std::optional<size_t> outer;  ///< the If, Loop or Scan that it is inside, by its place in the list
};

/// Lists the runs that begin from now on.
void watch_steps();
/// Returns the steps that run now, those inside others behind them. One thread calls it repeatedly.
[[nodiscard]] std::vector<RunningStep> running_steps();

/// Returns the step that runs longest, or the innermost one inside it that has run for `seconds`; nullptr when none
/// has.
[[nodiscard]] const RunningStep* slowest_step(const std::vector<RunningStep>& steps, double seconds);

/// Returns "node 'conv_7' (Conv, output 1x64x56x56) has been running for 12 s".
[[nodiscard]] std::string slow_step_text(const RunningStep& step);
/// Returns "node 'p' (Conv, output 1x1x3001x3001) takes 3.6e+13 multiply-adds for one sample, about 2.0 hours at 10
/// GFLOP/s" for a step whose estimate exceeds an hour, at two operations per multiply-add; else "".
[[nodiscard]] std::string absurd_work_text(const RunningStep& step);

}  // namespace detent
