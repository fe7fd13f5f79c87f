#include "calibrate/channel_ranges.h"

#include <limits>
#include <memory>
#include <optional>

#include "exec/executor.h"
#include "exec/schedule.h"
#include "observe/channel_range_observer.h"
#include "run/observed_batch.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Padding is shown as NaN, which counts nowhere.
struct RangeWorker : SampleObserver {
  Executor executor;
  ChannelRangeObserver observer;

  RangeWorker(const Schedule& schedule, const std::map<ValueId, int>& axes) : executor(schedule), observer(axes) {}
  void observe(ValueId value, const Tensor& tensor, const SampleAxis&, std::span<const uint8_t> counted) override {
    if (counted.empty()) return observer.observe(value, tensor);
    Tensor marked = cast(tensor, DataType::Float32).clone();
    const auto elements = marked.mutable_data<float>();
    for (size_t i = 0; i < elements.size(); ++i)
      if (counted[i] == 0) elements[i] = std::numeric_limits<float>::quiet_NaN();
    observer.observe(value, marked);
  }
};

}  // namespace

ChannelRanges channel_ranges_of(const Graph& graph, const std::map<ValueId, int>& axes, const DataSource& source,
                                const RunSettings& settings) {
  if (axes.empty()) return {};
  std::vector<ValueId> wanted;
  for (const auto& [value, axis] : axes) wanted.push_back(value);
  const Schedule schedule(graph, wanted, {.exact_fusion = true, .team = team_size(settings, source)});
  const SampleAxes samples = find_sample_axes(schedule, source, settings);
  std::vector<std::unique_ptr<RangeWorker>> workers(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    if (!workers[slot]) workers[slot] = std::make_unique<RangeWorker>(schedule, axes);
    run_observed(workers[slot]->executor, std::move(batch), samples, *workers[slot]);
    return true;
  };
  run_over<bool>({.source = source,
                  .settings = settings,
                  .task = "measuring channels",
                  .refuse_empty = "there was no sample to measure channels with"},
                 run, [](bool) {});
  ChannelRangeObserver all(axes);
  for (const auto& worker : workers)
    if (worker) all.merge(worker->observer);
  return all.ranges();
}

}  // namespace detent
