#include "half/value_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

class ReachObserver : public Observer {
 public:
  explicit ReachObserver(const FloatFormat& format) : format_(format) {}

  void observe(ValueId value, const Tensor& tensor) override {
    if (tensor.empty_handle() || tensor.is_sequence() || tensor.type() != DataType::Float32) return;
    reaches[value].include(reach_of(tensor, format_));
  }

  ValueReaches reaches;

 private:
  FloatFormat format_;
};

/// Everything that nodes make, and the inputs: what is a Float32 is known when it comes.
std::vector<ValueId> values_to_watch(const Graph& graph) {
  std::vector<ValueId> values;
  for (const Value& value : graph.values())
    if (!value.is_constant && (value.is_input || value.producer != kNoNode)) values.push_back(value.id);
  return values;
}

}  // namespace

void ValueReach::include(const ValueReach& other) {
  amax = std::max(amax, other.amax);
  mean_abs = std::max(mean_abs, other.mean_abs);
  signal += other.signal;
  noise += other.noise;
  vanishing += other.vanishing;
}

double ValueReach::rounding_db() const {
  return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

ValueReach reach_of(const Tensor& tensor, const FloatFormat& format) {
  const Tensor plain = to_plain(tensor);
  const Tensor rounded = cast(cast(plain, format.type), DataType::Float32);
  const auto x = plain.data<float>();
  const auto y = rounded.data<float>();
  ValueReach reach;
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double number = std::abs(static_cast<double>(x[i]));
    if (!std::isfinite(number)) continue;  // FP32 itself holds it
    reach.amax = std::max(reach.amax, number);
    sum += number;
    if (number > format.largest) continue;
    const double error = static_cast<double>(x[i]) - y[i];
    reach.signal += number * number;
    reach.noise += error * error;
    reach.vanishing += number > 0 && y[i] == 0;
  }
  if (!x.empty()) reach.mean_abs = sum / static_cast<double>(x.size());
  return reach;
}

ValueReaches measure_reaches(const Graph& graph, const FloatFormat& format, const DataSource& source,
                             const RunSettings& settings) {
  const std::vector<ValueId> watched = values_to_watch(graph);
  const Schedule schedule(graph, watched, {.exact_fusion = true, .team = team_size(settings, source)});
  ExecutorSlots slots(schedule, worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    ReachObserver observer(format);
    slots.at(slot).run(stack_samples(std::move(batch)), observer);
    return std::move(observer.reaches);
  };
  // Sums in the order of the samples: the same whatever the threads.
  ValueReaches reaches;
  const auto add = [&](ValueReaches&& batch) {
    for (const auto& [value, reach] : batch) reaches[value].include(reach);
  };
  run_over<ValueReaches>({.source = source,
                          .settings = settings,
                          .task = "measuring float ranges",
                          .refuse_empty = "there was no sample to measure float ranges with"},
                         run, add);
  return reaches;
}

ValueReaches unmeasured_reaches(const Graph& graph, std::span<const Tensor> inputs) {
  struct TypeObserver : Observer {
    ValueReaches reaches;
    void observe(ValueId value, const Tensor& tensor) override {
      if (!tensor.empty_handle() && !tensor.is_sequence() && tensor.type() == DataType::Float32) reaches[value] = {};
    }
  } observer;
  const RunnablePart runnable(graph);
  std::vector<ValueId> watched = values_to_watch(graph);
  std::erase_if(watched, [&](ValueId value) { return !runnable.can_run(value); });
  const Schedule schedule(graph, watched, {.fuse = false});
  Executor(schedule).run(inputs, observer);
  return std::move(observer.reaches);
}

}  // namespace detent
