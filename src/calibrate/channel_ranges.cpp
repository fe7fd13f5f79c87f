#include "calibrate/channel_ranges.h"

#include <memory>
#include <optional>

#include "exec/executor.h"
#include "exec/schedule.h"
#include "observe/channel_range_observer.h"
#include "run/model_inputs.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

struct Worker {
  Executor executor;
  ChannelRangeObserver observer;
};

}  // namespace

ChannelRanges channel_ranges_of(const Graph& graph, const std::map<ValueId, int>& axes, const DataSource& source,
                                const RunSettings& settings) {
  if (axes.empty()) return {};
  std::vector<ValueId> wanted;
  for (const auto& [value, axis] : axes) wanted.push_back(value);
  const Schedule schedule(graph, wanted, {.exact_fusion = true, .team = team_size(settings, source)});
  std::vector<std::unique_ptr<Worker>> workers(worker_count(settings));
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    if (!workers[slot]) workers[slot].reset(new Worker{Executor(schedule), ChannelRangeObserver(axes)});
    workers[slot]->executor.run(stack_samples(std::move(batch)), workers[slot]->observer);
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
