#include "pipeline/parts/quantize_report.h"

#include <fmt/core.h>

#include <set>

#include "core/peak_memory.h"
#include "detent/qparams.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/value_charts.h"
#include "pipeline/parts/written_file.h"
#include "run/workers.h"

namespace detent {
namespace {

// Without VNNI an integer kernel takes about half the time of the float one, so this share makes a file 1.4 times as
// fast before its pairs cost anything. Files with shares of 0, 41 and 50 % ran at 1.0, 1.0 and 0.9 times the speed
// (bench/README.md).
constexpr double kLeastShareThatPays = 0.55;

// Returns why ONNX Runtime hardly runs the file faster than the float model; empty where the plan does not tell.
std::string speed_note(const PlacementPlan& plan, const CoverageReport& coverage) {
  if (plan.target->engine != Engine::OnnxRuntime || plan.type != CodeType::Int8 || coverage.macs == 0) return "";
  const double share = static_cast<double>(coverage.int8_macs) / static_cast<double>(coverage.macs);
  if (share >= kLeastShareThatPays) return "";
  return fmt::format("INT8 will hardly be faster here: {:.1f} % of the multiplications stay in float",
                     100 * (1 - share));
}

}  // namespace

QuantizeReport start_report(const QuantizeOptions& options, const Setup& setup, const Calibration& calibration) {
  QuantizeReport report;
  report.model = options.model.string();
  report.output = options.output.string();
  report.target = setup.plan.target->spec();
  report.accuracy.level = name_of(options.accuracy);
  report.table = options.table.string();
  report.opset = setup.preparation.opset_before;
  report.nodes = setup.facts.nodes;
  report.model_bytes = setup.facts.bytes;
  report.samples = calibration.samples;
  report.skipped_samples = calibration.skipped;
  report.outliers = setup.outlier_report;
  report.calibration_seconds = calibration.seconds;
  report.threads = worker_count(options.run);
  report.plan =
      describe_plan(setup.plan, setup.model.graph(), report.model, setup.facts, setup.preparation.folded_batchnorms);
  report.notes = setup.plan.notes;
  if (!setup.half && options.format.io == IoType::Same)
    report.notes.emplace_back("--io-type same changes nothing: no node computes in a 16-bit float type (--float-type)");
  if (!setup.half) return report;
  report.floats = setup.half->report;
  if (options.format.io == IoType::Same)
    report.plan.coverage.types.float32.activation_bytes -=
        narrowed_input_bytes(setup.model.graph(), setup.plan, setup.half->format, setup.shapes);
  return report;
}

void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite) {
  for (const QuantizedValue& value : rewrite.values) {
    const bool symmetric = value.qparams.type != DataType::UInt8;
    const Range range = symmetric ? Range{-value.range.amax(), value.range.amax()} : value.range;
    report.values.push_back({graph.value(value.value).name, range.min, range.max, symmetric,
                             value.qparams.scale.front(), value.qparams.zero_point.front(),
                             value.scale_group >= 0 ? std::optional<int>(value.scale_group) : std::nullopt});
  }
  report.notes.insert(report.notes.end(), rewrite.warnings.begin(), rewrite.warnings.end());
}

void add_histograms(QuantizeReport& report, const Setup& setup, const Calibration& calibration,
                    const ChosenRanges& chosen) {
  report.histograms = describe_values(setup.model.graph(), calibration.histograms, setup.format.range_kind(),
                                      {{chosen.calibrator->name(), &chosen.ranges}});
  std::set<std::string> quantized;
  for (const auto& value : report.values) quantized.insert(value.name);
  // A bound may have left values float that were measured.
  std::erase_if(report.histograms, [&](const ValueHistogram& value) { return !quantized.contains(value.name); });
}

void add_choices(QuantizeReport& report, const ChosenRanges& chosen, std::optional<EqualizeReport> equalized,
                 const Improvement& improved, std::optional<BoundReport> bound) {
  report.calibrator = chosen.calibrator->name();
  report.measured = chosen.measurement;
  report.equalized = std::move(equalized);
  report.bias_correction = improved.biases;
  report.accuracy.steps = improved.steps;
  report.bound = std::move(bound);
}

void finish_report(QuantizeReport& report, const QuantizeOptions& options, const Setup& setup, double seconds) {
  const Model& written = setup.model;
  const size_t casts = casts_added(written.graph(), setup.facts);
  report.plan.coverage.casts = static_cast<int64_t>(casts);
  if (report.floats) report.floats->casts = casts;
  report.written_opset = written.graph().opset();
  report.output_bytes = written_bytes(options.output);
  if (const std::string note = speed_note(setup.plan, report.plan.coverage); !note.empty())
    report.notes.push_back(note);
  report.seconds = seconds;
  report.peak_mb = peak_memory_mb();
}

}  // namespace detent
