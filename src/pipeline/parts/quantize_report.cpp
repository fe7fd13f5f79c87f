#include "pipeline/parts/quantize_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/text.h"
#include "detent/base/qparams.h"
#include "evaluate/compared_values.h"
#include "pipeline/parts/cast_nodes.h"
#include "pipeline/parts/plan_report.h"
#include "pipeline/parts/provenance.h"
#include "pipeline/parts/value_charts.h"
#include "rewrite/integer_gates.h"
#include "run/workers.h"

namespace detent {
namespace {

// Without VNNI an integer kernel takes about half the time of the float one, so this share makes a file 1.4 times as
// fast before its pairs cost anything. Measured: shares of 0, 41 and 50 % ran at 1.0, 1.0 and 0.9 times the speed
// (bench/README.md).
constexpr double kLeastShareThatPays = 0.55;

// Most float operators between pairs for each INT8 layer (EngineDef::slow_between_pairs).
constexpr double kMostFloatBetweenPairs = 0.25;

// Returns why the engine hardly runs the file faster than the float model; empty when the plan does not show it.
// written  the graph with pairs
std::string speed_note(const PlacementPlan& plan, const Graph& written, const PlanReport& report) {
  const CoverageReport& coverage = report.coverage;
  const std::span<const FloatOperator> costs = plan.target->engine.slow_between_pairs;
  if (costs.empty() || plan.type != CodeType::Int8 || coverage.macs == 0) return "";
  const double share = static_cast<double>(coverage.int8_macs) / static_cast<double>(coverage.macs);
  if (share < kLeastShareThatPays)
    return fmt::format("INT8 will hardly be faster here: {:.1f} % of the multiplications stay in float",
                       100 * (1 - share));
  const std::vector<std::string> on_codes =
      plan.target->engine.gates_in_codes ? integer_gates(written).remove_nodes : std::vector<std::string>();
  std::map<std::string_view, int64_t> counts;
  double cost = 0;
  for (const PlanReport::Edge& edge : report.edges) {
    const auto found = std::ranges::find(costs, edge.op, &FloatOperator::op);
    if (!is_pair(edge.reads) || found == costs.end()) continue;
    if (std::ranges::find(on_codes, edge.consumer) != on_codes.end()) continue;
    ++counts[edge.op];
    cost += found->cost;
  }
  if (cost == 0 || cost < kMostFloatBetweenPairs * static_cast<double>(coverage.int8_layers)) return "";
  const auto words = [](const auto& count) { return fmt::format("{} {}", count.second, count.first); };
  return fmt::format("INT8 will hardly be faster here: {} between {} INT8 layers run in float",
                     join(counts, " and ", words), coverage.int8_layers);
}

}  // namespace

QuantizeReport start_report(const QuantizeOptions& given, const Prepared& prepared, const Measured& measured,
                            const Chosen& chosen, std::optional<BoundReport> bound) {
  const Graph& graph = prepared.graph();
  QuantizeReport report;
  report.model = given.model.string();
  report.output = given.output.string();
  report.target = prepared.recipe.target->spec();
  report.accuracy.level = name_of(given.accuracy);
  report.accuracy.steps = chosen.steps;
  report.table = given.table.string();
  report.opset = prepared.preparation.opset_before;
  report.nodes = prepared.facts.nodes;
  report.model_bytes = prepared.facts.bytes;
  report.steps = given.data.steps.value_or(0);
  report.samples = measured.calibration.samples / std::max<size_t>(1, report.steps);
  report.skipped_samples = measured.calibration.skipped;
  report.outliers = measured.outlier_report;
  report.calibration_seconds = measured.calibration.seconds;
  report.calibrator = chosen.calibrator->name();
  report.measured = chosen.measurement;
  report.equalized = prepared.equalize_report();
  report.bias_correction = chosen.biases;
  report.plan = plan_report_of(prepared);
  if (const auto next = *prepared.recipe.target->engine.next_command)
    report.next_command =
        next(*prepared.recipe.target, {report.output, report.plan.coverage.type, report.plan.coverage.pairs > 0});
  report.notes = prepared.plan.notes;
  if (!prepared.recipe.target_note.empty()) report.notes.push_back(prepared.recipe.target_note);
  if (prepared.recipe.placement.dynamic_products && !given.format.dynamic)
    report.notes.emplace_back(
        "products find their scales at run time, because the loop feeds the tokens that it chose; --activation uint8 "
        "has scales in advance");
  if (const std::string text = judged_outputs_text(graph, given.run); !text.empty()) report.notes.push_back(text);
  report.provenance = describe_origin(prepared, measured.calibration,
                                      {given.placement, given.format, given.equalize, given.accuracy, given.outliers},
                                      {chosen.biases && chosen.biases->kept, bound ? &*bound : nullptr});
  report.provenance.calibrator = report.calibrator;
  report.provenance.ranges = ranges_fingerprint(graph, chosen.ranges);
  report.bound = std::move(bound);
  if (report.bound) report.score = report.bound->score;
  if (!prepared.half && given.format.io == IoType::Same)
    report.notes.emplace_back(
        "--format io-type=same changes nothing: no node computes in a 16-bit float type (--float-type)");
  if (!prepared.half) return report;
  report.floats = prepared.half->report;
  if (given.format.io == IoType::Same)
    report.plan.coverage.types.float32.activation_bytes -=
        narrowed_input_bytes(graph, prepared.plan, prepared.half->format, prepared.shapes);
  return report;
}

void add_values(QuantizeReport& report, const Graph& graph, const Rewrite& rewrite, const Measured& measured,
                const Chosen& chosen) {
  std::set<std::string> quantized;
  for (const QuantizedValue& value : rewrite.values) {
    const bool symmetric = !is_asymmetric(code_format(value.qparams.type).range);
    const Range range = symmetric ? Range{-value.range.amax(), value.range.amax()} : value.range;
    report.values.push_back({graph.value(value.value).name, range.min, range.max, symmetric, value.qparams.type,
                             value.qparams.scale.front(), value.qparams.zero_point.front(),
                             value.scale_group >= 0 ? std::optional<int>(value.scale_group) : std::nullopt});
    quantized.insert(report.values.back().name);
  }
  report.notes.insert(report.notes.end(), rewrite.warnings.begin(), rewrite.warnings.end());
  report.histograms = describe_values(graph, measured.calibration.histograms, chosen.format.range_kind(),
                                      {{report.calibrator, &chosen.ranges}});
  // A bound may have left measured values float.
  std::erase_if(report.histograms, [&](const ValueHistogram& value) { return !quantized.contains(value.name); });
}

void add_written(QuantizeReport& report, const Graph& written, const Prepared& prepared) {
  const size_t casts = casts_added(written, prepared.facts);
  report.plan.coverage.casts = static_cast<int64_t>(casts);
  if (report.floats) report.floats->casts = casts;
  if (const std::string note = speed_note(prepared.plan, written, report.plan); !note.empty())
    report.notes.push_back(note);
}

}  // namespace detent
