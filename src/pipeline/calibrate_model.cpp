#include <algorithm>
#include <optional>

#include "calibrate/calibration.h"
#include "calibrate/from_table.h"
#include "calibrate/range_overrides.h"
#include "core/atomic_file.h"
#include "core/stopwatch.h"
#include "detent/calibrate.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "observe/table_sum.h"
#include "pipeline/inspect_table.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/format_options.h"
#include "run/model_inputs.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/request.h"

namespace detent {

namespace {

namespace fs = std::filesystem;

/// Specs of the targets, sorted, each once.
std::vector<std::string> target_specs(const std::vector<std::string>& targets) {
  std::vector<std::string> specs;
  for (const std::string& target : targets) specs.push_back(find_target(target).spec());
  std::ranges::sort(specs);
  const auto repeated = std::ranges::unique(specs);
  specs.erase(repeated.begin(), repeated.end());
  return specs;
}

/// The type that the options ask for, or the first 16-bit one that is a target's default.
FloatType float_type_for(const CalibrateOptions& options, const std::vector<std::string>& targets) {
  if (options.float_type) return *options.float_type;
  for (const std::string& target : targets)
    if (const FloatType type = find_target(target).float_type; type != FloatType::Fp32) return type;
  return FloatType::Fp32;
}

/// The table that an interrupted run of the same calibration left. Without a file there is nothing to go on with: a job that is
/// started again and again may always say --resume.
/// Errors  TableMismatch when it is of another shard, model, set of values or CPU.
std::optional<CalibrationTable> read_partial(const fs::path& path, const CalibrationTable& table) {
  if (!fs::exists(path)) return std::nullopt;
  CalibrationTable partial = read_table(path);
  try {
    std::vector<TableShard> expected = table.shards;
    expected.front().partial = true;
    if (partial.shards != expected)
      throw Error(ErrorCode::TableMismatch, "is not what this shard left behind",
                  "give the same --shard as before, or begin again without --resume");
    check_mergeable(table, partial);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
  return partial;
}

/// All shards must be equalized alike, so all of them look at the whole data.
std::optional<EqualizedModel> even_for_table(Model& model, const CalibrateOptions& options,
                                             const EqualizeRequest& request, const std::vector<std::string>& targets) {
  DataOptions whole = options.data;
  whole.shard_count = whole.shard_index = 1;
  const auto source = open_samples(whole, model.graph());
  const Target& target = targets.empty() ? preparing_target() : find_target(targets.front());
  const RangeOverrides no_overrides = read_overrides({});
  const std::vector<Tensor> inputs = read_first_inputs(*source, options.run);
  return equalize_as_requested(
      model, request, {inputs, *source}, {},
      {target, options.placement, rewrite_options({}, options.placement, target), no_overrides, {"auto"}, options.run});
}

/// What the pass measured of the table's values, and in which samples.
void add_measured(CalibrationTable& table, const Graph& graph, const Pass& pass,
                  const std::vector<SampleTracker::Added>& added) {
  std::vector<size_t> indices;
  for (const SampleTracker::Added& one : added) {
    table.samples.push_back(one.sample);
    indices.push_back(one.index);
  }
  for (const ValueId value : pass.collector.watched())
    table.values[graph.value(value).name] = {pass.collector.histogram(value), pass.collector.extremes(value, indices)};
  for (const auto& [value, reach] : pass.reaches.reaches())
    if (const auto asked = table.reaches.find(graph.value(value).name); asked != table.reaches.end())
      asked->second = reach;
  for (const auto& [value, tokens] : pass.tokens.reaches()) table.tokens.at(graph.value(value).name) = tokens;
}

/// Leaves what was measured for --resume and `merge`, and throws Interrupted.
[[noreturn]] void leave_partial(CalibrationTable table, const fs::path& path) {
  table.shards.front().partial = true;
  write_table(table, path);
  throw Error(ErrorCode::Interrupted,
              "interrupted; " + path.string() + " holds the " + std::to_string(table.samples.size()) + " samples done",
              "the same command with --resume goes on, and 'detent merge' accepts the file");
}

}  // namespace

TableReport calibrate_model(const CalibrateOptions& options) {
  const Stopwatch stopwatch;
  const fs::path partial_path = options.output.string() + ".partial";
  check_writable(options.output, options.overwrite);
  const std::vector<std::string> targets = target_specs(options.targets);
  const EqualizeRequest request = parse_equalize(options.equalize);

  Model model = read_float_model(options.model);
  const std::string fingerprint = detent::fingerprint(model).hex();
  const auto source = open_samples(options.data, model.graph());
  warn_of_unused_preprocess(options.data, {}, model.graph(), *options.run.reporter);
  const FloatType type = float_type_for(options, targets);
  static_cast<void>(
      prepare_checked(model, preparing_target(), read_first_inputs(*source, options.run), {.float_type = type}));
  std::optional<EqualizedModel> evened;
  if (request.asks()) evened = even_for_table(model, options, request, targets);
  const Graph& graph = model.graph();
  // What stays FP32 moves pairs, and is only known when all is measured: every value that could get one.
  const bool half = type != FloatType::Fp32;
  const std::vector<ValueId> values =
      values_to_measure(graph, half ? std::vector<std::string>{} : targets, options.placement);
  const std::vector<ValueId> reached = half ? values_with_reach(graph) : std::vector<ValueId>{};

  const std::vector<ValueId> tokens = values_with_tokens(graph, values);
  CalibrationTable table = make_table(fingerprint, graph, values, reached);
  table.targets = targets;
  if (request.equalizes()) table.equalize = evened->report.requested;
  table.absorb_bias = request.absorbs();
  if (evened) table.equalization = std::move(evened->equalization);
  table.shards = {{static_cast<uint32_t>(options.data.shard_count), static_cast<uint32_t>(options.data.shard_index)}};
  const std::optional<CalibrationTable> before =
      options.resume ? read_partial(partial_path, table) : std::optional<CalibrationTable>{};

  if (!options.resume && fs::exists(partial_path))
    options.run.reporter->warn(partial_path.string() +
                               " is there from an interrupted calibration; --resume would go on with it");

  SampleTracker tracker(before ? std::span<const TableSample>(before->samples) : std::span<const TableSample>{});
  const Pass pass = measure(graph, values, *source, options.run, &tracker, {reached, tokens});
  // A value that no target needs in the end may hold NaN only; one that a target needs is an error, once all data was seen.
  const bool required = !targets.empty() && !half && options.data.shard_count == 1 && !pass.interrupted && !before;
  report_non_finite(graph, pass.collector, tracker, required, *options.run.reporter);
  add_measured(table, graph, pass, tracker.added());
  if (before) {
    const std::vector<TableShard> shards = table.shards;
    merge_into(table, *before);
    table.shards = shards;
  }

  if (pass.interrupted) leave_partial(std::move(table), partial_path);
  tracker.check_all_came_up();
  if (table.samples.empty()) throw Error(ErrorCode::InvalidData, "there was no sample to calibrate with");
  write_table(table, options.output);
  std::error_code ignored;
  fs::remove(partial_path, ignored);

  TableReport report = describe_table(table, options.output);
  report.seconds = stopwatch.seconds();
  report.skipped_samples = pass.skipped;
  return report;
}

}  // namespace detent
