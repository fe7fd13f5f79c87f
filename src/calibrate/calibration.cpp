#include "calibrate/calibration.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "observe/calibration_table.h"
#include "run/observed_batch.h"
#include "run/samples_together.h"
#include "run/workers.h"

namespace detent {

namespace {

/// Passes every value to the collector, and to the observer of reaches where they are wanted.
class Worker : public SampleObserver {
 public:
  Worker(const Schedule& schedule, const SampleAxes& axes, Gathered nothing, bool with_reaches)
      : executor_(schedule), axes_(axes), measured_(std::move(nothing)), with_reaches_(with_reaches),
        may_loop_(std::ranges::any_of(schedule.steps(), [](const Step& step) { return !step.subgraphs.empty(); })) {}

  /// Runs one batch. An interrupted sample leaves nothing behind: a sample that should be short is finished, the
  /// measurements of a long one are taken back.
  void run(std::vector<Sample>&& batch, std::span<const size_t> indices) {
    const bool may_stop = !ran_ || last_seconds_ > kShort || may_loop_;
    std::optional<Gathered> before;
    if (may_stop) before = measured_;
    executor_.may_stop(may_stop);
    const Stopwatch stopwatch;
    measured_.collector.begin_batch(indices);
    measured_.reaches.begin_batch(indices.size());
    measured_.tokens.begin_batch(indices.size());
    try {
      run_observed(executor_, std::move(batch), axes_, *this);
    } catch (const Error& error) {
      if (before && error.code() == ErrorCode::Interrupted) measured_ = std::move(*before);
      throw;
    }
    last_seconds_ = stopwatch.seconds();
    ran_ = true;
  }
  void observe(ValueId value, const Tensor& tensor, const SampleAxis& where,
               std::span<const uint8_t> counted) override {
    measured_.collector.observe(value, tensor, counted, where);
    if (with_reaches_) measured_.reaches.observe(value, tensor, counted, where);
    measured_.tokens.observe(value, tensor, counted, where);
  }
  [[nodiscard]] Gathered& measured() { return measured_; }

 private:
  static constexpr double kShort = 0.2;  // seconds; a copy of the histograms takes about 2 ms

  Executor executor_;
  const SampleAxes& axes_;
  Gathered measured_;
  bool with_reaches_;
  bool may_loop_;  // a sample may take any time, whatever the last one took
  bool ran_ = false;
  double last_seconds_ = 0;
};

constexpr const char* kExclude = "--exclude its consumers";

std::string origin(const Graph& graph, ValueId value) {
  const Node* producer = graph.producer(value);
  return "value '" + graph.value(value).name + "'" +
         (producer ? " of node '" + producer->name + "' (" + producer->op_type + ")" : "");
}

std::string non_finite_counts(const Histogram& histogram) {
  return std::to_string(histogram.nans()) + " NaN and " + std::to_string(histogram.infinities()) + " Inf";
}

/// Warns of the values whose sample axis is not known.
void warn_of_unknown_axes(const Graph& graph, const Collector& collector, const SampleAxes& axes, size_t batch,
                          Reporter& reporter) {
  size_t count = 0;
  std::string first;
  for (const ValueId value : collector.watched()) {
    if (axes.of(value).kind != SampleAxis::Kind::Unknown || collector.histogram(value).empty()) continue;
    if (count++ == 0) first = origin(graph, value);
  }
  if (count == 0) return;
  reporter.warn(first + (count > 1 ? " and " + std::to_string(count - 1) + " more values mix" : " mixes") + " the " +
                std::to_string(batch) +
                " samples of a batch, or their axis is not known: no outlier samples are looked for there");
}

}  // namespace

void add_constants(const Graph& graph, std::span<const ValueId> values, std::map<ValueId, Histogram>& histograms) {
  for (const ValueId value : values)
    if (const Tensor* constant = graph.constant(value))
      histograms[value].add(cast(*constant, DataType::Float32).data<float>());
}

void report_non_finite(const Graph& graph, const Collector& collector, const SampleTracker& samples, bool required,
                       Reporter& reporter) {
  for (const auto& found : collector.non_finite()) {
    const Histogram& histogram = collector.histogram(found.value);
    const std::string where = origin(graph, found.value) + " held " + non_finite_counts(histogram) +
                              ", first in sample '" + samples.name_of(found.sample) + "'";
    if (required && histogram.count() == 0)
      throw Error(ErrorCode::InvalidData, where + ", and nothing finite", kExclude);
    reporter.warn(where + "; they are left out");
  }
}

void check_measured(const Graph& graph, const std::map<ValueId, Histogram>& histograms, Reporter& reporter) {
  for (const auto& [value, histogram] : histograms) {
    if (histogram.count() == 0 && histogram.nans() + histogram.infinities() > 0)
      throw Error(ErrorCode::InvalidData,
                  origin(graph, value) + " held " + non_finite_counts(histogram) + ", and nothing finite", kExclude);
    if (histogram.max_abs() == 0)
      reporter.warn(origin(graph, value) + " was 0 in every sample; its scale is the default");
  }
}

Pass measure(const Graph& graph, std::span<const ValueId> values, const DataSource& source, const RunSettings& settings,
             SampleTracker* tracker, const MeasuredBeside& beside, const Checkpoint& checkpoint,
             SamplePass::LastBatch last_batch) {
  std::set<ValueId> watched(values.begin(), values.end());
  watched.insert(beside.reached.begin(), beside.reached.end());
  const std::vector<ValueId> all(watched.begin(), watched.end());
  const Schedule schedule(graph, all,
                          {.exact_fusion = true, .team = team_size(settings, source), .keep_large_copies = true});
  const SampleAxes axes = find_sample_axes(schedule, source, settings);
  std::vector<std::unique_ptr<Worker>> workers(worker_count(settings));
  const Gathered nothing{Collector(graph, values), {}, TokenReachObserver(beside.tokens), {}};
  Checkpointer checkpointer(checkpoint, nothing, workers.size(), *settings.reporter);
  Pass pass{{nothing}};
  using Counts = std::pair<size_t, size_t>;  // samples of the batch, and how many of them ran now
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    const size_t count = batch.size();
    const std::vector<TableSample> identified = tracker ? SampleTracker::identify(batch) : std::vector<TableSample>{};
    if (tracker && tracker->measured_before(identified)) return Counts(count, 0);
    if (!workers[slot]) workers[slot] = std::make_unique<Worker>(schedule, axes, nothing, !beside.reached.empty());
    Gathered& measured = workers[slot]->measured();
    Checkpointer::Turn turn(checkpointer, slot, measured);
    std::vector<size_t> indices;
    for (const Sample& sample : batch) indices.push_back(sample.index);
    workers[slot]->run(std::move(batch), indices);
    for (size_t i = 0; i < identified.size(); ++i) measured.added.push_back({identified[i], indices[i]});
    if (tracker) tracker->add(identified, indices);
    turn.done();
    return Counts(count, count);
  };
  // Rate and time left are those of the samples that run: the others take no time.
  const size_t known = tracker ? std::min(tracker->known(), source.size()) : 0;
  settings.reporter->begin("calibrating", source.size() - known);
  try {
    size_t done = 0;
    const SamplePass over{.source = source,
                          .settings = settings,
                          .last_batch = last_batch,
                          // Samples that were measured before an interruption may be half of a batch.
                          .together = known > 0 ? 1 : samples_together(schedule, source, workers.size()),
                          .refuse_empty = {}};
    pass.skipped = run_over<Counts>(over, run, [&](const Counts& counts) {
                     pass.samples += counts.first;
                     settings.reporter->advance_to(done += counts.second);
                   }).skipped;
  } catch (const Error& error) {
    if (!tracker || error.code() != ErrorCode::Interrupted) throw;
    pass.interrupted = true;
  }
  settings.reporter->end();
  pass.merge(checkpointer.gathered());
  for (const auto& worker : workers)
    if (worker) pass.merge(worker->measured());
  std::ranges::sort(pass.added);
  warn_of_unknown_axes(graph, pass.collector, axes, source.batch(), *settings.reporter);
  return pass;
}

Calibration for_values(const Calibration& calibration, const std::map<ValueId, ValueId>& from) {
  Calibration result = calibration;
  const auto take = [&](auto& into, const auto& measured) {
    into.clear();
    for (const auto& [value, carried] : from)
      if (const auto found = measured.find(carried); found != measured.end()) into.emplace(value, found->second);
  };
  take(result.histograms, calibration.histograms);
  take(result.extremes, calibration.extremes);
  take(result.given, calibration.given);
  return result;
}

Calibration calibrate(const Graph& graph, std::span<const ValueId> watched, const DataSource& source,
                      const RunSettings& settings, SamplePass::LastBatch last_batch) {
  const Stopwatch stopwatch;
  Calibration calibration;
  std::vector<ValueId> measured;
  for (const ValueId value : watched)
    if (!graph.constant(value)) measured.push_back(value);
  SampleTracker tracker;
  const Pass pass = measure(graph, measured, source, settings, &tracker, {}, {}, last_batch);
  if (pass.interrupted) throw Error(ErrorCode::Interrupted, "interrupted");
  if (pass.samples == 0) throw Error(ErrorCode::InvalidData, "there was no sample to calibrate with");
  report_non_finite(graph, pass.collector, tracker, true, *settings.reporter);
  calibration.samples = pass.samples;
  calibration.skipped = pass.skipped;
  for (const auto& added : tracker.added()) calibration.identities.push_back(added.sample);
  add_constants(graph, watched, calibration.histograms);
  const std::vector<size_t> samples = pass.collector.samples();
  for (const size_t sample : samples) calibration.sample_names.push_back(tracker.name_of(sample));
  for (const ValueId value : measured) {
    calibration.histograms[value] = pass.collector.histogram(value);
    calibration.extremes[value] = pass.collector.extremes(value, samples);
  }
  check_measured(graph, calibration.histograms, *settings.reporter);
  calibration.seconds = stopwatch.seconds();
  return calibration;
}

void warn_of_unsupported_tail(const Graph& graph, Reporter& reporter) {
  const RunnablePart runnable(graph);
  for (const UnsupportedNode& item : runnable.unsupported()) {
    const Node& node = graph.node(item.node);
    reporter.warn("node '" + node.name + "' (" + node.op_type + ") cannot run here: " + item.reason +
                  "; it stays float and errors are measured before it");
  }
}

}  // namespace detent
