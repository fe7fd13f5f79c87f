#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "calibrate/calibration.h"
#include "calibrate/from_table.h"
#include "calibrate/range_overrides.h"
#include "calibrate/sample_tracker.h"
#include "core/files/atomic_file.h"
#include "core/files/dead_temporaries.h"
#include "core/files/output_set.h"
#include "core/files/reach.h"
#include "core/files/unfinished.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/data_source.h"
#include "detent/base/error.h"
#include "detent/calibrate.h"
#include "detent/options/run_settings.h"
#include "model/fingerprint.h"
#include "model/graph/graph.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "observe/table_sum.h"
#include "ops/use_instruction_set.h"
#include "options/command_inputs.h"
#include "pipeline/parts/inspect_table.h"
#include "pipeline/parts/pipeline_options.h"
#include "pipeline/parts/prepared.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/format_options.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"
#include "run/run_over.h"
#include "tune/equalize/equalize_model.h"
#include "tune/equalize/request.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// The samples of one shard.
struct ShardSamples {
  std::unique_ptr<DataSource> own;    ///< empty where there are more shards than samples
  std::unique_ptr<DataSource> whole;  ///< all samples where `own` is empty; else null
  /// Returns a source that is not empty and shows what samples look like.
  [[nodiscard]] const DataSource& shown() const { return whole ? *whole : *own; }
};

/// Opens the samples that `data` selects. More shards than samples are no error: job arrays are made before samples are
/// counted.
/// Errors  those of open_samples.
ShardSamples open_shard(SampleRequest data, const Model& model) {
  data.may_be_empty = true;
  ShardSamples samples{open_samples(data, model), nullptr};
  data.shard_count = data.shard_index = 1;
  if (samples.own->size() == 0) samples.whole = open_samples(data, model);
  return samples;
}

/// AVX2 is on every x86 machine since 2013, and gives the same bits on all.
constexpr const char* kOneSet =
    "go on where it was begun, or begin again without --resume and with --isa avx2 on every machine";

void check_instruction_sets(const CalibrationTable& found, const CalibrationTable& empty) {
  if (found.instruction_sets == empty.instruction_sets || found.instruction_sets.empty()) return;
  throw Error(ErrorCode::TableMismatch,
              "was measured with " + found.instruction_sets.front() + ", and this run uses " +
                  empty.instruction_sets.front() + ", whose results differ in the last bits",
              kOneSet);
}

/// Reads the table that an earlier run of the same calibration left: a partial one, or the complete one, which another
/// kind of CPU may have measured unless `isa` asks for one.
/// empty   the table to measure, without samples.
/// Errors  those of read_table; TableMismatch when it is of another shard, model, set of values or CPU.
CalibrationTable read_earlier(const fs::path& path, const CalibrationTable& empty, bool partial, bool one_cpu) {
  CalibrationTable table = read_table(path);
  try {
    std::vector<TableShard> expected = empty.shards;
    expected.front().partial = partial;
    if (table.shards != expected)
      throw Error(ErrorCode::TableMismatch,
                  partial ? "is not the partial table of this shard" : "is not the complete table of this shard",
                  partial ? "give the same --shard as before, or begin again without --resume"
                          : "give the same --shard as before, --overwrite to replace it, or another name");
    if (one_cpu) check_instruction_sets(table, empty);
    check_mergeable(empty, table, {.mixed_instruction_sets = !partial});
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return table;
}

/// Reads all samples to compare names and contents; runs none.
/// Errors  TableMismatch when they are not those of the table; those of reading; Interrupted.
void check_samples(const DataSource& source, const CalibrationTable& table, const RunSettings& settings) {
  SampleTracker tracker(table.samples, SampleTracker::Others::Refused);
  const SamplePass pass{.source = source,
                        .settings = settings,
                        .task = "comparing samples",
                        .last_batch = SamplePass::LastBatch::Drop,
                        .refuse_empty = {}};
  const auto compare = [&](size_t, std::vector<Sample>&& batch, size_t) {
    return tracker.measured_before(SampleTracker::identify(batch));
  };
  static_cast<void>(run_over<bool>(pass, compare, [](bool) {}));
  tracker.check_all_came_up();
}

/// Returns the specs of the targets, sorted, each once.
std::vector<std::string> target_specs(const std::vector<std::string>& targets) {
  std::set<std::string> specs;
  for (const std::string& target : targets) specs.insert(find_target(target).spec());
  return {specs.begin(), specs.end()};
}

/// Returns the type that the options ask for, or the first 16-bit one that is a target's default.
FloatType float_type_for(const CalibrateOptions& options, const std::vector<std::string>& targets) {
  if (options.float_type) return *options.float_type;
  for (const std::string& target : targets)
    if (const FloatType type = find_target(target).float_type; type != FloatType::Fp32) return type;
  return FloatType::Fp32;
}

/// Equalizes by the whole data, so that all shards are equalized alike.
std::optional<EqualizedModel> even_for_table(Model& model, const CalibrateOptions& options, SampleRequest whole,
                                             const EqualizeRequest& request, const std::vector<std::string>& targets) {
  whole.shard_count = whole.shard_index = 1;
  const auto source = open_samples(whole, model);
  const Target& target = targets.empty() ? default_target() : find_target(targets.front());
  const RangeOverrides no_overrides = read_overrides({});
  const std::vector<Tensor> inputs = read_shown_inputs(*source, whole.steps, options.run);
  const PlacementRequest placement{options.placement};
  return equalize_as_requested(
      model, request, inputs, *source, OutlierPolicy::Clip, {},
      {target, placement, rewrite_options({}, placement, target), no_overrides, {"auto"}, options.run});
}

/// Adds the measurements of the table's values, and their samples.
void add_measured(CalibrationTable& table, const Graph& graph, const Gathered& measured) {
  std::vector<size_t> indices;
  for (const SampleTracker::Added& one : measured.added) {
    table.samples.push_back(one.sample);
    indices.push_back(one.index);
  }
  for (const ValueId value : measured.collector.watched())
    table.values[graph.value(value).name] = {measured.collector.histogram(value),
                                             measured.collector.extremes(value, indices)};
  for (const auto& [value, reach] : measured.reaches.reaches())
    if (const auto asked = table.reaches.find(graph.value(value).name); asked != table.reaches.end())
      asked->second = reach;
  for (const auto& [value, tokens] : measured.tokens.reaches()) table.tokens.at(graph.value(value).name) = tokens;
}

/// The table of one shard, with the measurements of an earlier run.
class ShardTable {
 public:
  /// empty  without samples, of `values`.
  ShardTable(CalibrationTable empty, const Graph& graph, std::span<const ValueId> values,
             std::optional<CalibrationTable> before)
      : empty_(std::move(empty)), graph_(graph), values_(values), before_(std::move(before)) {}

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] std::span<const ValueId> values() const { return values_; }
  [[nodiscard]] std::span<const TableSample> measured_before() const {
    return before_ ? std::span<const TableSample>(before_->samples) : std::span<const TableSample>{};
  }

  [[nodiscard]] CalibrationTable with(const Gathered& measured) const {
    CalibrationTable table = empty_;
    add_measured(table, graph_, measured);
    if (before_) merge_into(table, *before_);
    table.shards = empty_.shards;
    return table;
  }
  /// Writes the measurements so far for --resume and `merge`. Returns the number of samples.
  size_t write_partial(const Gathered& measured, const fs::path& path) const {
    CalibrationTable table = with(measured);
    table.shards.front().partial = true;
    const AtOnce now;  // it outlives a run that fails
    write_table(table, path);
    return table.samples.size();
  }

 private:
  CalibrationTable empty_;
  const Graph& graph_;
  std::span<const ValueId> values_;
  std::optional<CalibrationTable> before_;
};

/// Returns the table that the options ask for, without samples.
CalibrationTable shard_table(const CalibrateOptions& options, const Graph& graph, const std::string& fingerprint,
                             std::span<const ValueId> values, std::span<const ValueId> reached) {
  CalibrationTable table = make_table(fingerprint, graph, values, reached);
  table.targets = target_specs(options.targets);
  table.shards = {{static_cast<uint32_t>(options.data.shard_count), static_cast<uint32_t>(options.data.shard_index)}};
  return table;
}

/// Checks that the complete table at the output is of the samples of `source`, and removes the partial one.
TableReport keep_table(const CalibrateOptions& options, const DataSource& source, const CalibrationTable& table,
                       const fs::path& partial_path) {
  try {
    check_samples(source, table, options.run);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Interrupted) throw;
    throw error.in(options.output.string());
  }
  std::error_code ignored;
  fs::remove(partial_path, ignored);
  TableReport report = describe_table(table, options.output);
  report.kept = true;
  return report;
}

/// Measures the remaining samples of the shard and writes the table.
/// all_needed  a target quantizes every value of the table.
TableReport measure_table(const CalibrateOptions& options, const DataSource& source, const ShardTable& shard,
                          const MeasuredBeside& beside, const fs::path& partial_path, bool all_needed) {
  const WorkToFinish work("the running step is finished first, so that nothing is lost");
  SampleTracker tracker(shard.measured_before());
  const auto save = [&](const Gathered& so_far) { (void)shard.write_partial(so_far, partial_path); };
  const Checkpoint checkpoint{options.checkpoint_seconds, save};
  const Pass pass = measure(shard.graph(), shard.values(), source, options.run, &tracker, beside, checkpoint);
  // Values that hold only NaN are an error where a target needs them, once all data was seen.
  const bool whole = options.data.shard_count == 1 && !pass.interrupted && tracker.known() == 0;
  report_non_finite(shard.graph(), pass.collector, tracker, all_needed && whole, *options.run.reporter);
  if (pass.interrupted)
    throw Error(ErrorCode::Interrupted,
                fmt::format("interrupted; {} holds the {} samples done", partial_path.string(),
                            shard.write_partial(pass, partial_path)),
                "the same command with --resume continues, and 'detent merge --partial' accepts the file");
  tracker.check_all_came_up();
  const CalibrationTable table = shard.with(pass);
  if (table.samples.empty() && options.data.shard_count == 1)
    throw Error(ErrorCode::InvalidData, "there was no sample to calibrate with");
  OutputSet outputs;
  write_table(table, options.output, options.overwrite);
  outputs.around([partial_path]() -> std::function<void()> {
    return [partial_path] {
      std::error_code ignored;
      fs::remove(partial_path, ignored);
    };
  });
  outputs.commit();
  TableReport report = describe_table(table, options.output);
  report.measured = pass.added.size();
  report.skipped_samples = pass.skipped;
  return report;
}

}  // namespace

TableReport calibrate_model(const CalibrateOptions& given) {
  CalibrateOptions options = given;
  static_cast<void>(complete_by_model(options.model, options.data));
  const StopScope stop(options.run.stop);
  const InputFiles protected_inputs = protect_inputs(options);
  const Stopwatch stopwatch;
  use_instruction_set(options.isa);
  const fs::path partial_path = options.output.string() + ".partial";
  const bool complete = options.resume && !options.overwrite && is_there(options.output);
  if (!complete) check_writable(options.output, options.overwrite);
  check_is_no_input(partial_path);
  remove_dead_temporaries(partial_path);
  const std::vector<std::string> targets = target_specs(options.targets);
  const EqualizeRequest request = parse_equalize(options.equalize.equalize);

  const SampleRequest data = parse_samples(options.data);
  Model model = read_float_model(options.model);
  const std::string fingerprint = detent::fingerprint(model).hex();
  const ShardSamples samples = open_shard(data, model);
  warn_of_unused_preprocess(data, {}, model.graph(), *options.run.reporter);
  const FloatType type = float_type_for(options, targets);
  const Target& target = targets.empty() ? default_target() : find_target(targets.front());
  static_cast<void>(prepare_checked(model, target, read_shown_inputs(samples.shown(), data.steps, options.run),
                                    {.float_type = type}));
  std::optional<EqualizedModel> evened;
  if (request.equalizes()) evened = even_for_table(model, options, data, request, targets);
  const Graph& graph = model.graph();
  warn_of_unsupported_tail(graph, *options.run.reporter);
  warn_of_layers_left(graph, name_of(CodeType::Int8), *options.run.reporter);
  // Nodes that stay FP32 move pairs and are only known after the measurement, so every value that could get a pair
  // counts.
  const bool half = type != FloatType::Fp32;
  const std::vector<ValueId> values =
      values_to_measure(graph, half ? std::vector<std::string>{} : targets, options.placement);
  const std::vector<ValueId> reached = half ? values_with_reach(graph) : std::vector<ValueId>{};
  const std::vector<ValueId> tokens = values_with_tokens(graph, values);
  CalibrationTable empty = shard_table(options, graph, fingerprint, values, reached);
  if (evened) {
    empty.equalize = evened->report.requested;
    empty.equalization = std::move(evened->equalization);
  }

  if (complete)
    return keep_table(options, *samples.own, read_earlier(options.output, empty, false, options.isa != "native"),
                      partial_path);
  std::optional<CalibrationTable> before;
  if (is_there(partial_path) && options.resume)
    before = read_earlier(partial_path, empty, true, true);
  else if (is_there(partial_path))
    options.run.reporter->warn(partial_path.string() +
                               " is left from an interrupted calibration; --resume would continue it");

  const MeasuredBeside beside{reached, tokens};
  TableReport report = measure_table(options, *samples.own, {std::move(empty), graph, values, before}, beside,
                                     partial_path, !targets.empty() && !half);
  report.seconds = stopwatch.seconds();
  return report;
}

}  // namespace detent
