#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include "calibrate/choose_ranges.h"
#include "calibrate/from_table.h"
#include "calibrate/merged_statistics.h"
#include "calibrate/outlier_samples.h"
#include "calibrate/tensorrt_cache.h"
#include "core/files/atomic_file.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/qparams.h"
#include "detent/cache.h"
#include "model/fingerprint.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "place/make_plan.h"
#include "prepare/prepare_model.h"
#include "prepare/read_model_to_run.h"

namespace detent {

namespace {

/// "TRT-8600-EntropyCalibration2": NV_TENSORRT_VERSION of the target, which counts by 1000 up to version 9 and by 10000
/// since, and the calibrator whose caches TensorRT keeps apart.
std::string version_line(const Target& target, const std::string& calibrator) {
  const int major = target.version_major * (target.version_major < 10 ? 1000 : 10000);
  const char* name = calibrator == "max" ? "MinMaxCalibration" : "EntropyCalibration2";
  return "TRT-" + std::to_string(major + target.version_minor * 100) + "-" + name;
}

/// Chooses scales from a table as quantize does by default: no range goes beyond what samples like the others reach.
class Scales {
 public:
  Scales(const CalibrationTable& table, const Calibrator& calibrator)
      : table_(table), calibrator_(calibrator), outliers_(names_of(find_outlier_samples(table))) {
    for (const TableSample& sample : table.samples) names_.push_back(sample.name);
  }

  /// Of values that share one. Nothing where none of them was measured.
  [[nodiscard]] std::optional<float> of(std::span<const std::string> names) const {
    MergedStatistics merged;
    Extremes reach;
    for (const std::string& name : names) {
      const TableValue& value = table_.values.at(name);
      merged.include(value.histogram, value.extremes);
      if (!outliers_.empty()) reach.include(reach_without(value.extremes, names_, outliers_));
    }
    if (merged.histogram.count() == 0) return std::nullopt;
    const Range range = calibrator_.choose_for(merged.view(), RangeKind::Symmetric);
    return qparams_from_range(clipped(range, reach, RangeKind::Symmetric), QuantType{}).scale.front();
  }

 private:
  const CalibrationTable& table_;
  const Calibrator& calibrator_;
  std::set<std::string> outliers_;
  std::vector<std::string> names_;  // of the samples
};

/// Scale of every value that the table knows anything of; values that share a scale get that of their merged data.
std::map<std::string, float> scales_of(const CalibrationTable& table, const Calibrator& calibrator) {
  std::map<std::string, float> scales;
  if (!table.imported() && !table.has_extremes() && calibrator.looks_at_samples())
    throw lacks_samples(calibrator, table.values.begin()->first);
  const Scales choose(table, calibrator);
  for (const auto& [name, value] : table.values)
    if (value.scale > 0)
      scales[name] = value.scale;
    else if (const auto scale = choose.of(std::span(&name, 1)))
      scales[name] = *scale;
  if (table.imported()) return scales;
  for (const std::vector<std::string>& group : table.groups)
    if (const auto shared = choose.of(group))
      for (const std::string& name : group) scales[name] = *shared;
  return scales;
}

std::string read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  std::ifstream stream;
  if (std::filesystem::is_regular_file(path, ignored)) stream.open(path, std::ios::binary);
  if (!stream.is_open())
    throw Error(ErrorCode::InvalidData, path.string() + ": there is no calibration cache that can be read");
  return {std::istreambuf_iterator<char>(stream), {}};
}

TensorRtCache read_cache(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return parse_tensorrt_cache(text);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

/// Values to be quantized by the target's default placement for which the table has no scale.
std::vector<std::string> missing_values(const Graph& prepared, const CalibrationTable& table, const Target& target) {
  std::vector<std::string> missing;
  for (const ValueId value : make_placement_plan(prepared, target, {}).quantized_values())
    if (!prepared.constant(value) && !table.values.contains(prepared.value(value).name))
      missing.push_back(prepared.value(value).name);
  return missing;
}

}  // namespace

CacheExportReport export_cache(const CacheExportOptions& options) {
  check_writable(options.output, options.overwrite);
  const Target& target = find_target(options.target);
  if (target.engine != Engine::TensorRT)
    throw Error(ErrorCode::InvalidOption, "--target " + options.target + " has no calibration caches; TensorRT has");
  const auto calibrator = make_calibrator(options.calibrator);
  const CalibrationTable table = read_table(options.table);
  if (!table.equalization.empty())
    throw Error(ErrorCode::TableMismatch,
                options.table.string() +
                    ": the table was measured on an equalized network, to which a cache of the model would not fit",
                "calibrate without --equalize");
  const TensorRtCache cache{version_line(target, options.calibrator), scales_of(table, *calibrator)};
  write_file(options.output, format_tensorrt_cache(cache));
  return {options.table.string(), options.output.string(), calibrator->name(), target.spec(), cache.scales.size()};
}

CacheImportReport import_cache(const CacheImportOptions& options) {
  check_writable(options.output, options.overwrite);
  const TensorRtCache cache = read_cache(options.cache);
  Model model = read_float_model(options.model);
  CalibrationTable table = make_table(fingerprint(model).hex(), model.graph(), {});
  table.instruction_sets.clear();  // nothing was run
  CacheImportReport report{options.cache.string(), options.output.string(), cache.version_line};
  // A value that folding takes away is still one of the model: the cache is not wrong to have it.
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
  prepare_model(model, preparing_target());
  take(model.graph());
  if (table.values.empty())
    throw Error(ErrorCode::TableMismatch,
                options.cache.string() + ": none of its " + std::to_string(cache.scales.size()) +
                    " names is a value of " + options.model.string(),
                "caches name tensors of the network they were made with; it must be the same export");
  write_table(table, options.output);
  report.imported = table.values.size();
  for (const auto& [name, ignored] : open) report.unknown.push_back(name);
  const Target& target = find_target("tensorrt");
  report.target = target.spec();
  report.missing = missing_values(model.graph(), table, target);
  return report;
}

}  // namespace detent
