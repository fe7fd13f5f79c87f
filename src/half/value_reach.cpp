#include "half/value_reach.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "exec/executor.h"
#include "exec/schedule.h"
#include "run/observed_batch.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

double decibels(double signal, double noise) {
  return noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
}

/// Forwards to a FloatReachObserver.
class ReachObserver final : public SampleObserver {
 public:
  explicit ReachObserver(FloatReachObserver& reaches) : reaches_(reaches) {}
  void observe(ValueId value, const Tensor& tensor, const SampleAxis& where,
               std::span<const uint8_t> counted) override {
    reaches_.observe(value, tensor, counted, where);
  }

 private:
  FloatReachObserver& reaches_;
};

}  // namespace

ValueReaches measure_reaches(const Graph& graph, const DataSource& source, const RunSettings& settings) {
  const std::vector<ValueId> watched = values_with_reach(graph);
  const Schedule schedule(graph, watched, {.exact_fusion = true, .team = team_size(settings, source)});
  const SampleAxes axes = find_sample_axes(schedule, source, settings);
  ExecutorSlots slots(schedule, worker_count(settings));
  std::vector<FloatReachObserver> observers(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    const size_t samples = batch.size();
    ReachObserver observer(observers[slot]);
    observers[slot].begin_batch(samples);
    run_observed(slots.at(slot), std::move(batch), axes, observer);
    return samples;
  };
  using LastBatch = SamplePass::LastBatch;
  run_over<size_t>({.source = source,
                    .settings = settings,
                    .task = "measuring float ranges",
                    // as in calibration
                    .last_batch = source.size() < source.batch() ? LastBatch::Fill : LastBatch::Drop,
                    .refuse_empty = "there was no sample to measure float ranges with"},
                   run, [](size_t) {});
  for (size_t slot = 1; slot < observers.size(); ++slot) observers.front().merge(observers[slot]);
  return observers.front().reaches();
}

bool is_bound(const ValueReach& reach) {
  return reach.amax > 0 && reach.zeros == 0 && std::ranges::all_of(reach.counts, [](uint64_t n) { return n == 0; });
}

uint64_t vanishing(const ValueReach& reach, const FloatFormat& format) {
  uint64_t count = 0;
  for (int e = ValueReach::kLowest; std::ldexp(1.0, e) <= format.smallest / 2; ++e)
    count += reach.counts[static_cast<size_t>(e - ValueReach::kLowest)];
  return count;
}

RoundedPower power_of(const ValueReach& reach, const FloatFormat& format) {
  RoundedPower power;
  for (int e = ValueReach::kLowest; e <= ValueReach::kHighest; ++e) {
    const double low = std::ldexp(1.0, e - 1);
    if (low > format.largest) break;
    const auto count = static_cast<double>(reach.counts[static_cast<size_t>(e - ValueReach::kLowest)]);
    const double square = 7.0 / 3 * low * low;
    const double step = std::max(std::ldexp(low, -format.digits), format.smallest);
    power.elements += count;
    power.signal += count * square;
    power.noise += count * (2 * low <= format.smallest / 2 ? square : step * step / 12);
  }
  return power;
}

double rounding_db(const ValueReach& reach, const FloatFormat& format) {
  const RoundedPower power = power_of(reach, format);
  return decibels(power.signal, power.noise);
}

double TensorReach::rounding_db() const { return decibels(signal, noise); }

TensorReach reach_of(const Tensor& tensor, const FloatFormat& format) {
  const Tensor plain = to_plain(tensor);
  const Tensor rounded = cast(cast(plain, format.type), DataType::Float32);
  const auto x = plain.data<float>();
  const auto y = rounded.data<float>();
  TensorReach reach;
  for (size_t i = 0; i < x.size(); ++i) {
    const double number = std::abs(static_cast<double>(x[i]));
    if (!std::isfinite(number)) continue;  // FP32 itself holds it
    reach.amax = std::max(reach.amax, number);
    if (number > format.largest) continue;
    const double error = static_cast<double>(x[i]) - y[i];
    reach.signal += number * number;
    reach.noise += error * error;
  }
  return reach;
}

ValueReaches unmeasured_reaches(const Graph& graph, std::span<const Tensor> inputs) {
  struct TypeObserver : Observer {
    ValueReaches reaches;
    void observe(ValueId value, const Tensor& tensor) override {
      if (!tensor.empty_handle() && !tensor.is_sequence() && tensor.type() == DataType::Float32) reaches[value] = {};
    }
  } observer;
  const std::vector<ValueId> watched = values_with_reach(graph);
  const Schedule schedule(graph, watched, {.fuse = false});
  Executor(schedule).run(inputs, observer);
  return std::move(observer.reaches);
}

}  // namespace detent
