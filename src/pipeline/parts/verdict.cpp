#include "pipeline/parts/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/text.h"
#include "detent/base/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/judge.h"
#include "evaluate/trial.h"
#include "evaluate/value_errors.h"
#include "ops/traits.h"
#include "options/groups.h"
#include "pipeline/parts/provenance.h"
#include "rewrite/qdq_inserter.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr size_t kBlameSamples = 4;
constexpr size_t kTried = 6;  // one bad range mostly stands out, and each costs a run of the network behind it
constexpr size_t kCuresShown = 2;
constexpr double kLeastShareInCodes = 0.5;  // of the MACs; below it FP16 alone is worth a try

PlacementPlan without(PlacementPlan plan, MaybeValue value) {
  for (EdgeDecision& edge : plan.edges)
    if (edge.value == value) edge.pair = false;
  std::erase_if(plan.output_pairs, [&](const OutputPair& pair) { return pair.value == value; });
  return plan;
}

/// Measures which quantized values ruin the outputs: for the values with the largest error alone, the SQNR of
/// the worst output when only that value is float; largest first. Biases are float.
/// Errors  those of measure_value_errors, values_to_judge and evaluate_side_by_side.
void find_blame(VerdictReport& verdict, const Model& model, const PlacementPlan& plan, const Chosen& chosen,
                const DataSource& source, const RunSettings& settings) {
  RewriteOptions format = chosen.format;
  format.int32_bias = false;  // its scale comes from a pair that a variant may lack
  const Graph& graph = model.graph();
  std::vector<LocalError> suspects = measure_value_errors(model, plan, chosen.ranges, format, source, settings);
  suspects.resize(std::min(suspects.size(), kTried));
  ModelsSideBySide variants(model);
  variants.add(make_qdq_patch(graph, plan, chosen.ranges, format).patch);
  for (const LocalError& suspect : suspects)
    variants.add(make_qdq_patch(graph, without(plan, graph.find_value(suspect.value)), chosen.ranges, format).patch);
  const std::vector<std::string> names = values_to_judge(model, source, settings);
  const Evaluation found =
      evaluate_side_by_side(variants, {model, names, source, settings, "looking for the values that cost most"});
  verdict.blame_sqnr_db = worst_sqnr_db(found.report(0));
  for (size_t i = 0; i < suspects.size(); ++i)
    verdict.blame.push_back({suspects[i].value, suspects[i].sqnr_db, worst_sqnr_db(found.report(1 + i))});
  std::ranges::stable_sort(verdict.blame, std::ranges::greater{}, &VerdictReport::Blame::sqnr_db_without);
}

/// The layers in codes that decide the extents of outputs: from the inputs of nodes that are no data (ends of a Range,
/// the shape of a Reshape) back to the nearest such layers, and on to those that only they read.
class DecidingLayers {
 public:
  DecidingLayers(const Graph& graph, const PlanReport& plan) : graph_(graph), visited_(graph.values().size(), false) {
    for (const PlanReport::Layer& layer : plan.layers)
      if (layer.int8) in_codes_.insert(layer.name);
  }

  [[nodiscard]] std::vector<std::string> find() {
    for (const Node& node : graph_.nodes()) {
      const OpTraits& traits = traits_of(graph_, node);
      const bool all = kDeciders.contains(node.op_type);
      if (!all && traits.data_inputs < 0) continue;
      for (size_t slot = all ? 0 : static_cast<size_t>(traits.data_inputs); slot < node.inputs.size(); ++slot)
        if (const MaybeValue value = node.input(slot)) walk(*value, false);
    }
    return std::move(found_);
  }

 private:
  inline static const std::set<std::string, std::less<>> kDeciders{"Range", "ConstantOfShape", "NonZero"};

  void walk(ValueId value, bool behind_layer) {
    const Node* node = graph_.producer(value);
    if (!node || visited_[value] || (behind_layer && graph_.value(value).uses.size() > 1)) return;
    visited_[value] = true;
    if (traits_of(graph_, *node).kind == OpKind::ShapeOf) return;
    const bool is_layer = in_codes_.contains(node->name);
    if (is_layer) found_.push_back(node->name);
    for (const ValueId input : present(node->inputs)) walk(input, behind_layer || is_layer);
  }

  const Graph& graph_;
  std::set<std::string> in_codes_;
  ValueMap<bool> visited_;
  std::vector<std::string> found_;
};

/// Returns the cure for outputs whose extents quantized layers decide: to leave these layers float.
std::vector<std::string> cures_for_extents(const Graph& graph, const PlanReport& plan) {
  const std::vector<std::string> layers = DecidingLayers(graph, plan).find();
  if (layers.empty()) return {"--exclude REGEX for the layers that decide the extents of the outputs"};
  return {"--exclude " + shell_quoted("^(" + join(layers, "|") + ")$") +
          " (layers that decide extents of outputs; if too few, those before them too)"};
}

void add_blame(QuantizeReport& report, const RunSettings& run, Prepared& prepared, const VerdictGrounds& grounds) {
  const Chosen& chosen = grounds.chosen;
  try {
    remake(prepared, [](const Recipe& /*the same*/) {});
    if (report.verdict.quality == Quality::Unknown) {
      if (!grounds.worse.closing->uncomparable.empty())
        report.verdict.cures = cures_for_extents(prepared.graph(), report.plan);
      return;
    }
    Model model = take_model(prepared);
    if (!chosen.constants.empty()) apply_patch(model, chosen.constants);
    if (ranges_fingerprint(model.graph(), chosen.ranges) != report.provenance.ranges)
      throw Error(ErrorCode::Internal, "the model reads differently now");
    const SampleSubset few(*grounds.samples, samples_by_hash(*grounds.samples, kBlameSamples));
    find_blame(report.verdict, model, prepared.plan, chosen, few, run);
  } catch (const Error& error) {  // the file is written; its explanation may fail
    if (error.code() == ErrorCode::Interrupted) throw;
    report.verdict.caveats.push_back(std::string("the values that cost most could not be measured: ") + error.what());
  }
}

/// Returns the options to try that are not used yet, the likeliest to help first.
std::vector<std::string> cures_for(const QuantizeReport& report, const QuantizeOptions& options, const Target& target) {
  std::vector<std::string> cures;
  if (target.engine.whole_graph && report.plan.coverage.type != CodeType::A16W8) {
    if (!options.bound.given() && target.has_wide_islands())
      cures.emplace_back("--min-sqnr 20 (gives 16 bits to the nodes that need them)");
    cures.emplace_back("--activation uint16 (16-bit activations)");
  }
  const bool data = options.data.given();
  if (options.format.per_tensor) cures.emplace_back("without --per-tensor");
  if (data && !report.measured) cures.emplace_back("--calibrator auto (measures all of them)");
  if (data && options.accuracy != Accuracy::Best) cures.emplace_back("--accuracy best (takes minutes)");
  if (!options.bound.given() && !target.engine.whole_graph) cures.emplace_back("--min-sqnr 20 (keeps layers float)");
  cures.resize(std::min(cures.size(), kCuresShown));
  return cures;
}

/// Returns the command that writes FP16 alone, with the user's files. "" where that is no alternative, and where data
/// came from no files.
std::string half_command(const QuantizeOptions& options, const Target& target) {
  if (!target.engine.fast_in_half || options.data.sources.empty()) return {};
  const std::filesystem::path half = options.output.parent_path() / (options.model.stem().string() + ".fp16.onnx");
  DataOptions data = options.data, usual;
  std::string command = "detent cast " + shell_quoted(options.model.string());
  for (const auto& [option, value] : changed(data_options(data, true), data_options(usual, true)))
    command += " --" + option + " " + shell_quoted(value);
  if (options.run.skip_bad_data) command += " --skip-bad-data";
  return command + " --float-type fp16 -o " + shell_quoted(half.string()) +
         " ('detent compare-types' with --float-type fp16 scores both)";
}

/// Adds FP16 alone to the cures, and to the notes of a good model that has little in INT8.
void add_half_alone(QuantizeReport& report, const QuantizeOptions& options, const Target& target) {
  const CoverageReport& coverage = report.plan.coverage;
  const std::string command = half_command(options, target);
  if (command.empty()) return;
  const double share =
      coverage.macs > 0 ? static_cast<double>(coverage.int8_macs) / static_cast<double>(coverage.macs) : 1;
  if (report.verdict.quality != Quality::Good)
    report.verdict.cures.push_back("FP16 alone: " + command);
  else if (share < kLeastShareInCodes)
    report.notes.push_back(fmt::format("only {:.1f} % of the multiplications are in {}; FP16 alone may be as fast: {}",
                                       100 * share, name_of(coverage.type), command));
}

/// Returns the values with a pair that were 0 in every calibration sample.
std::vector<std::string> unseen_values(const QuantizeReport& report) {
  std::vector<std::string> names;
  if (report.samples == 0) return names;
  for (const QuantizeReport::QuantizedValue& value : report.values)
    if (value.min == 0 && value.max == 0) names.push_back(value.name);
  return names;
}

}  // namespace

void add_verdict(QuantizeReport& report, const QuantizeOptions& options, Prepared& prepared,
                 const VerdictGrounds& grounds) {
  report.verdict = judge({.quantized = !report.values.empty() || report.plan.coverage.int8_layers > 0,
                          .calibration_samples = report.samples,
                          .closing = grounds.worse.closing.value_or(ClosingError{}),
                          .calibrated_with = grounds.calibrated_with,
                          .states = prepared.facts.states,
                          .unseen = unseen_values(report)});
  if (const std::string& caveat = grounds.worse.caveat; !caveat.empty())
    report.verdict.caveats.insert(report.verdict.caveats.begin(), caveat);
  if (!report.verdict.quality) return;
  if (*report.verdict.quality != Quality::Good) {
    add_blame(report, options.run, prepared, grounds);
    if (*report.verdict.quality != Quality::Unknown)
      report.verdict.cures = cures_for(report, options, *prepared.recipe.target);
  }
  add_half_alone(report, options, *prepared.recipe.target);
}

}  // namespace detent
