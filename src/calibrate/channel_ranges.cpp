#include "calibrate/channel_ranges.h"

#include <memory>
#include <optional>

#include "observe/channel_ranges.h"
#include "run/batches.h"

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
  const ExecutionPlan plan(graph, wanted,
                           {.exact_fusion = true, .team = team_size(settings, source.size(), fixed_batch(graph))});
  std::vector<std::unique_ptr<Worker>> workers(worker_count(settings));
  Reporter& reporter = *settings.reporter;
  reporter.begin("measuring channels", source.size());
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    const size_t count = batch.size();
    if (!workers[slot]) workers[slot].reset(new Worker{Executor(plan), ChannelRangeObserver(axes)});
    const std::string name = batch.front().name;
    try {
      workers[slot]->executor.run(stack_samples(std::move(batch)), workers[slot]->observer);
    } catch (const Error& error) {
      throw error.in("sample '" + name + "'");
    }
    return count;
  };
  size_t samples = 0;
  stream<size_t>(source, batch_stream_options(graph, settings, true), process,
                 [&](size_t, size_t count) { reporter.advance_to(samples += count); });
  reporter.end();
  if (samples == 0) throw Error(ErrorCode::InvalidData, "there was no sample to measure channels with");
  ChannelRangeObserver all(axes);
  for (const auto& worker : workers)
    if (worker) all.merge(worker->observer);
  ChannelRanges ranges;
  for (const auto& [value, extremes] : all.extremes()) ranges[value] = {extremes.min, extremes.max};
  return ranges;
}

}  // namespace detent
