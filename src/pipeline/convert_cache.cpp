#include <optional>
#include <set>

#include "calibrate/choose_ranges.h"
#include "calibrate/engines/tensorrt/tensorrt_cache.h"
#include "calibrate/from_table.h"
#include "calibrate/outlier_samples.h"
#include "core/files/atomic_file.h"
#include "core/files/file_bytes.h"
#include "core/files/output_set.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/qparams.h"
#include "detent/cache.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "options/command_inputs.h"
#include "pipeline/engines/dla/dla_files.h"
#include "place/make_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"

namespace detent {

namespace {

/// Returns the scale of every value in the table, chosen as quantize does by default: no range goes beyond the samples
/// that are not outliers. Values that share a scale get that of their merged data.
std::map<std::string, float> scales_of(const CalibrationTable& table, const Calibrator& calibrator) {
  if (!table.imported() && !table.has_extremes() && calibrator.looks_at_samples())
    throw lacks_samples(calibrator, table.values.begin()->first);
  const std::set<std::string> outliers = names_of(find_outlier_samples(table));
  std::vector<std::string> samples;
  for (const TableSample& sample : table.samples) samples.push_back(sample.name);
  std::map<std::string, float> scales;
  const auto choose = [&](std::span<const std::string> names) {  // nothing where none of them was measured
    MergedStatistics merged;
    Extremes reach;
    for (const std::string& name : names) {
      const TableValue& value = table.values.at(name);
      merged.include(value.histogram, value.extremes);
      if (!outliers.empty()) reach.include(reach_without(value.extremes, samples, outliers));
    }
    if (merged.histogram.count() == 0) return;
    const Range range =
        clipped(calibrator.choose_for(merged.view(), RangeKind::Symmetric), reach, RangeKind::Symmetric);
    for (const std::string& name : names) scales[name] = qparams_from_range(range, QuantType{}).scale.front();
  };
  for (const auto& [name, value] : table.values)
    if (value.scale > 0)
      scales[name] = value.scale;
    else
      choose(std::span(&name, 1));
  if (!table.imported())
    for (const std::vector<std::string>& group : table.groups) choose(group);
  return scales;
}

TensorRtCache read_cache(const std::filesystem::path& path) {
  const std::string text = FileBytes::open(path)->content();
  try {
    return parse_tensorrt_cache(text);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

/// Returns the values without a scale in the table that the target's default placement quantizes.
std::vector<std::string> missing_values(const Graph& prepared, const CalibrationTable& table, const Target& target) {
  std::vector<std::string> missing;
  for (const ValueId value : make_placement_plan(prepared, target, {}).quantized_values())
    if (!prepared.constant(value) && !table.values.contains(prepared.value(value).name))
      missing.push_back(prepared.value(value).name);
  return missing;
}

/// Writes the cache of the whole model for DLA, and trtexec's arguments beside it.
CacheExportReport export_for_dla(const CacheExportOptions& options) {
  DlaPaths paths = dla_paths(options.output);
  paths.cache = options.output;
  check_writable(paths.arguments, options.overwrite);
  Recipe recipe{.model = options.dla, .table = options.table};
  auto [prepared, measured, chosen] = measure(make(resolved(std::move(recipe), kDlaTarget, {}, {})));
  chosen = choose(prepared, measured, make_calibrator(options.calibrator));
  OutputSet together;
  const DlaFiles files =
      write_dla_files(prepared.graph(), prepared.plan, chosen, options.dla, paths, options.overwrite);
  together.commit();
  CacheExportReport report{options.table.string(), options.output.string(), chosen.calibrator->name(),
                           prepared.recipe.target->spec(), files.scales};
  report.arguments = paths.arguments.string();
  return report;
}

}  // namespace

CacheExportReport export_cache(const CacheExportOptions& options) {
  const InputFiles protected_inputs = protect_inputs(options);
  check_writable(options.output, options.overwrite);
  if (!options.dla.empty()) return export_for_dla(options);
  const Target& target = find_target(options.target);
  if (!target.engine.takes_pairs)
    throw Error(ErrorCode::Usage, "a cache for DLA needs the model, for a scale of every value",
                "--dla MODEL instead of --target " + options.target);
  if (!*target.engine.cache_version)
    throw Error(ErrorCode::InvalidOption,
                "--target " + options.target + " has no calibration caches, only TensorRT has");
  const auto calibrator = make_calibrator(options.calibrator);
  const CalibrationTable table = read_table(options.table);
  if (!table.equalization.empty())
    throw Error(ErrorCode::TableMismatch,
                options.table.string() +
                    ": the table was measured on an equalized network, and a cache of it does not fit the model",
                "calibrate without --equalize");
  const TensorRtCache cache{(*target.engine.cache_version)(target, options.calibrator), scales_of(table, *calibrator)};
  write_file(options.output, format_tensorrt_cache(cache), options.overwrite);
  return {options.table.string(), options.output.string(), calibrator->name(), target.spec(), cache.scales.size()};
}

CacheImportReport import_cache(const CacheImportOptions& options) {
  const InputFiles protected_inputs = protect_inputs(options);
  check_writable(options.output, options.overwrite);
  const TensorRtCache cache = read_cache(options.cache);
  Model model = read_float_model(options.model);
  CalibrationTable table = make_table(fingerprint(model).hex(), model.graph(), {});
  table.instruction_sets.clear();  // nothing was run
  CacheImportReport report{options.cache.string(), options.output.string(), cache.version_line};
  // Folding removes some values of the model, which a cache may still name.
  std::map<std::string, float> open = cache.scales;
  const auto take = [&](const Graph& graph) {
    for (const Value& value : graph.values())
      if (auto found = open.extract(value.name); !found.empty()) {
        if (found.mapped() > 0)
          table.values[value.name].scale = found.mapped();
        else
          report.without_scale.push_back(value.name);
      }
  };
  take(model.graph());
  prepare_model(model, default_target());
  take(model.graph());
  if (table.values.empty())
    throw Error(ErrorCode::TableMismatch,
                options.cache.string() + ": none of its " + std::to_string(cache.scales.size()) +
                    " names is a value of " + options.model.string(),
                "caches name tensors of the network they were made with; it must be the same export");
  write_table(table, options.output, options.overwrite);
  report.imported = table.values.size();
  for (const auto& [name, ignored] : open) report.unknown.push_back(name);
  const Target& target = default_target();
  report.target = target.spec();
  report.missing = missing_values(model.graph(), table, target);
  return report;
}

}  // namespace detent
