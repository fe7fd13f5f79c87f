#include "pipeline/calibrate_model.h"

#include "exec/runnable_part.h"
#include "pipeline/batch_stream.h"
#include "pipeline/stopwatch.h"

namespace detent {

namespace {

struct Worker {
  Executor executor;
  Collector collector;
};

void add_constants(const Graph& graph, std::span<const ValueId> watched, std::map<ValueId, Histogram>& histograms) {
  for (const ValueId value : watched) {
    const Tensor* constant = graph.constant(value);
    if (!constant) continue;
    histograms[value].add(cast(*constant, DataType::Float32).data<float>());
  }
}

std::string origin(const Graph& graph, ValueId value) {
  const Node* producer = graph.producer(value);
  return "value '" + graph.value(value).name + "'" +
         (producer ? " of node '" + producer->name + "' (" + producer->op_type + ")" : "");
}

void report_non_finite(const Graph& graph, const Collector& collector, const DataSource& source, Reporter& reporter) {
  for (const auto& found : collector.non_finite()) {
    const Histogram& histogram = collector.histogram(found.value);
    const std::string counts =
        std::to_string(histogram.nans()) + " NaN and " + std::to_string(histogram.infinities()) + " Inf";
    const std::string where =
        origin(graph, found.value) + " held " + counts + ", first in sample '" + source.sample_name(found.sample) + "'";
    if (histogram.count() == 0)
      throw Error(ErrorCode::InvalidData, where + ", and nothing finite", "--exclude its consumers");
    reporter.warn(where + "; they are left out");
  }
}

}  // namespace

Calibration calibrate(const Graph& graph, std::span<const ValueId> watched, const DataSource& source,
                      const RunSettings& settings) {
  const Stopwatch stopwatch;
  Calibration calibration;
  add_constants(graph, watched, calibration.histograms);
  std::vector<ValueId> measured;
  for (const ValueId value : watched)
    if (!graph.constant(value)) measured.push_back(value);

  const ExecutionPlan plan(graph, measured, {.team = team_size(settings, source.size(), fixed_batch(graph))});
  std::vector<std::unique_ptr<Worker>> workers(worker_count(settings));
  Reporter& reporter = *settings.reporter;
  reporter.begin("calibrating", source.size());
  const auto process = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    if (!workers[slot]) workers[slot].reset(new Worker{Executor(plan), Collector(graph, measured)});
    const size_t first = batch.front().index;
    const std::string name = batch.front().name;
    const size_t count = batch.size();
    workers[slot]->collector.begin_sample(first);
    try {
      workers[slot]->executor.run(stack_samples(std::move(batch)), workers[slot]->collector);
    } catch (const Error& error) {
      throw error.in("sample '" + name + "'");
    }
    return count;
  };
  const StreamStatistics done =
      stream<size_t>(source, batch_stream_options(graph, settings, false), process,
                     [&](size_t, size_t count) { reporter.advance_to(calibration.samples += count); });
  reporter.end();
  calibration.skipped = done.skipped;
  if (calibration.samples == 0) throw Error(ErrorCode::InvalidData, "there was no sample to calibrate with");

  Collector total(graph, measured);
  for (const auto& worker : workers)
    if (worker) total.merge(worker->collector);
  report_non_finite(graph, total, source, reporter);
  for (const ValueId value : measured) calibration.histograms[value] = total.histogram(value);
  for (const auto& [value, histogram] : calibration.histograms)
    if (histogram.max_abs() == 0) reporter.warn(origin(graph, value) + " was never anything but 0: its scale is 1");
  calibration.seconds = stopwatch.seconds();
  return calibration;
}

void warn_of_unsupported_tail(const Graph& graph, Reporter& reporter) {
  const RunnablePart runnable(graph);
  for (const UnsupportedNode& item : runnable.unsupported()) {
    const Node& node = graph.node(item.node);
    reporter.warn("node '" + node.name + "' (" + node.op_type + ") cannot run here: " + item.reason +
                  "; it is kept as it is and errors are measured before it");
  }
}

}  // namespace detent
