#include "pipeline/parts/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "core/process/early_end.h"
#include "core/text.h"
#include "detent/base/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/error_sums.h"
#include "evaluate/judge.h"
#include "evaluate/side_by_side.h"
#include "evaluate/trial.h"
#include "evaluate/value_costs.h"
#include "evaluate/value_errors.h"
#include "ops/source_of_copy.h"
#include "options/groups.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/extents_cure.h"
#include "pipeline/parts/provenance.h"
#include "place/make_plan.h"
#include "rewrite/qdq_inserter.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/choose_calibrator.h"
#include "tune/ruinous_layers.h"

namespace detent {

namespace {

constexpr size_t kTried = 6;  // one bad range mostly stands out, and each costs a run of the network behind it
constexpr size_t kCuresShown = 2;
constexpr size_t kUnseenShown = 3;
constexpr double kLeastShareInCodes = 0.5;  // of the MACs; below it FP16 alone is worth a try

PlacementPlan without(PlacementPlan plan, MaybeValue value) {
  plan.take_pairs([&](ValueId one) { return one == value; });
  return plan;
}

/// The quantized model that is asked for what costs most. Its members must outlive it.
struct BlameQuestion {
  const Prepared& prepared;  ///< with its model
  const Model& model;        ///< with the constants that were chosen
  const VerdictGrounds& grounds;
  const RunSettings& run;
};

/// Layers that stay float on trial.
struct ExcludeTrial {
  std::string pattern;
  PlacementPlan plan;
  std::map<ValueId, Range> ranges = {};
};

/// Returns the plans with the layers around each value float, as --exclude makes them: each set once, without plans
/// whose ranges are not known and cannot be measured.
std::vector<ExcludeTrial> exclude_trials(const BlameQuestion& question, const std::vector<ValueCost>& costs) {
  const auto& [prepared, model, grounds, run] = question;
  const Recipe& recipe = prepared.recipe;
  std::vector<ExcludeTrial> trials;
  if (recipe.target->engine.whole_graph) return trials;
  for (const ValueCost& cost : costs) {
    const std::vector<std::string> layers = layers_around(prepared.graph(), prepared.plan, cost.value);
    if (layers.empty()) continue;
    std::string pattern = exclude_pattern(layers);
    if (std::ranges::find(trials, pattern, &ExcludeTrial::pattern) != trials.end()) continue;
    PlacementRequest placement = recipe.placement;
    placement.exclude.push_back(pattern);
    trials.push_back({std::move(pattern),
                      make_placement_plan(prepared.graph(), *recipe.target, placement, prepared.shapes, recipe.kept)});
  }
  const Chosen& chosen = grounds.chosen;
  const auto is_known = [&](ValueId value) { return chosen.ranges.contains(value); };
  if (!grounds.measured.samples)
    std::erase_if(trials, [&](const ExcludeTrial& trial) {
      return !std::ranges::all_of(trial.plan.quantized_values(), is_known);
    });
  RangeBook book = range_book(prepared, grounds.measured, *chosen.calibrator, chosen.ranges);
  std::vector<PlacementPlan> plans;
  for (const ExcludeTrial& trial : trials) plans.push_back(trial.plan);
  book.measure_for(plans);
  for (ExcludeTrial& trial : trials) trial.ranges = book.ranges_of(trial.plan);
  return trials;
}

/// Returns the option that leaves the outputs the highest SQNR, with that SQNR; "" where none gains 3 dB.
std::string best_exclude(const BlameQuestion& question, const std::vector<ExcludeTrial>& trials,
                         const std::vector<double>& sqnr_db, const std::vector<std::string>& names,
                         const RewriteOptions& format) {
  if (trials.empty()) return {};
  const ExcludeTrial& best = trials[static_cast<size_t>(std::ranges::max_element(sqnr_db) - sqnr_db.begin())];
  const auto& [prepared, model, grounds, run] = question;
  const SampleSubset samples(*grounds.samples, samples_by_hash(*grounds.samples, kProbingSamples));
  ModelsSideBySide variants(model);
  variants.add(make_qdq_patch(model.graph(), prepared.plan, grounds.chosen.ranges, format).patch);
  variants.add(make_qdq_patch(model.graph(), best.plan, best.ranges, format).patch);
  const Evaluation found =
      evaluate_side_by_side(variants, {model, names, samples, run, "measuring the best --exclude"});
  const double before = worst_sqnr_db(found.report(0)), with = worst_sqnr_db(found.report(1));
  if (!(with >= before + kRuinDb)) return {};
  return fmt::format("--exclude {} (SQNR {:.1f} dB instead of {:.1f} on {})", shell_quoted(best.pattern), with, before,
                     plural(found.samples, "sample"));
}

/// Measures which quantized values ruin the outputs: for the values that cost most alone, the SQNR of the worst output
/// when only that value is float; largest first. Biases are float. The first cure is the best --exclude of the layers
/// around one of them.
/// Errors  those of measure_value_errors, find_costly_values, values_to_judge, measuring and evaluate_side_by_side.
void find_blame(VerdictReport& verdict, const BlameQuestion& question) {
  const auto& [prepared, model, grounds, run] = question;
  const auto& [plan, ranges] = std::tie(prepared.plan, grounds.chosen.ranges);
  const SampleSubset few(*grounds.samples, samples_by_hash(*grounds.samples, kBlameSamples));
  const SampleSubset fewer(*grounds.samples, samples_by_hash(*grounds.samples, kRoughSamples));
  RewriteOptions format = grounds.chosen.format;
  format.int32_bias = false;  // its scale comes from a pair that a variant may lack
  const Graph& graph = model.graph();
  const std::vector<std::string> names = values_to_judge(model, few, run);
  const std::vector<ValueCost> costs = find_costly_values(
      {model, plan, ranges, format, names, fewer, run, "looking for the values that cost most"}, kTried, HUGE_VAL);
  std::map<std::string, double> own;
  for (const LocalError& one : measure_value_errors(model, plan, ranges, format, few, run))
    own[one.value] = one.sqnr_db;
  const std::vector<ExcludeTrial> trials = exclude_trials(question, costs);
  ModelsSideBySide variants(model);
  variants.add(make_qdq_patch(graph, plan, ranges, format).patch);
  for (const ValueCost& cost : costs)
    variants.add(make_qdq_patch(graph, without(plan, cost.value), ranges, format).patch);
  for (const ExcludeTrial& trial : trials) variants.add(make_qdq_patch(graph, trial.plan, trial.ranges, format).patch);
  const Evaluation found =
      evaluate_side_by_side(variants, {model, names, few, run, "looking for the values that cost most"});
  verdict.blame_sqnr_db = worst_sqnr_db(found.report(0));
  verdict.blame_samples = found.samples;
  for (size_t i = 0; i < costs.size(); ++i) {
    const std::string& name = graph.value(costs[i].value).name;
    verdict.blame.push_back({name, own[name], worst_sqnr_db(found.report(1 + i))});
  }
  std::ranges::stable_sort(verdict.blame, std::ranges::greater{}, &VerdictReport::Blame::sqnr_db_without);
  std::vector<double> sqnr_db;
  for (size_t i = 0; i < trials.size(); ++i) sqnr_db.push_back(worst_sqnr_db(found.report(1 + costs.size() + i)));
  std::string exclude = best_exclude(question, trials, sqnr_db, names, format);
  if (!exclude.empty()) verdict.cures.insert(verdict.cures.begin(), std::move(exclude));
}

/// Returns the cure for values that were 0 in every calibration sample: samples that show them.
std::string cure_for_unseen(const Graph& graph, const std::vector<std::string>& unseen, bool in_steps) {
  std::vector<std::string> inputs;
  for (const std::string& name : unseen) {
    const MaybeValue value = graph.find_value(name);
    if (!value) continue;
    const Value& source = graph.value(source_of_copy(graph, *value));
    if (source.is_input && std::ranges::find(inputs, source.name) == inputs.end()) inputs.push_back(source.name);
  }
  const std::vector<std::string>& shown = inputs.empty() ? unseen : inputs;
  const auto quoted = [](const std::string& name) { return "'" + name + "'"; };
  std::string cure = "calibration samples in which " + listed(shown, kUnseenShown, quoted) +
                     (shown.size() == 1 ? " is not 0" : " are not 0");
  if (!inputs.empty() && !in_steps) cure += " (--steps N with --state FILE.json if outputs feed them)";
  return cure;
}

/// Adds what explains an unknown or a bad verdict, with the cures that only the model tells.
/// known_cause  only Measure::Unseen is bad: no value needs to be blamed.
void add_blame(QuantizeReport& report, const QuantizeOptions& options, Prepared& prepared,
               const VerdictGrounds& grounds, bool known_cause) {
  const Chosen& chosen = grounds.chosen;
  VerdictReport& verdict = report.verdict;
  try {
    prepared = changed(std::move(prepared));
    if (verdict.quality == Quality::Unknown) {
      ExtentsCure found = find_extents_cure(prepared, chosen, *grounds.samples, options.run);
      if (!found.option.empty()) verdict.cures.push_back(std::move(found.option));
      if (!found.caveat.empty()) verdict.caveats.push_back(std::move(found.caveat));
      return;
    }
    if (!grounds.unseen.empty())
      verdict.cures.push_back(cure_for_unseen(prepared.graph(), grounds.unseen, options.data.steps.has_value()));
    if (known_cause) return;
    Model model = prepared.model().clone();
    if (!chosen.constants.empty()) apply_patch(model, chosen.constants);
    if (ranges_fingerprint(model.graph(), chosen.ranges) != report.provenance.ranges)
      throw Error(ErrorCode::Internal, "the model reads differently now");
    find_blame(verdict, {prepared, model, grounds, options.run});
  } catch (const Error& error) {  // the file is written; its explanation may fail
    if (error.code() == ErrorCode::Interrupted) throw;
    verdict.caveats.push_back(std::string("what costs most could not be measured: ") + error.what());
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
  if (options.format.per_tensor) cures.emplace_back("without --format per-tensor=on");
  if (data && !report.measured && !is_auto(options.calibrator))
    cures.emplace_back("--calibrator auto (measures all of them)");
  if (data && !level_of(options.accuracy).thorough) cures.emplace_back("--accuracy best (takes minutes)");
  if (!options.bound.given() && !target.engine.whole_graph) cures.emplace_back("--min-sqnr 20 (keeps layers float)");
  cures.resize(std::min(cures.size(), kCuresShown));
  return cures;
}

/// Returns the command that writes FP16 alone, with the user's files. "" where that is no alternative, and where data
/// came from no files.
std::string half_command(const QuantizeOptions& options, const Target& target) {
  if (!target.engine.fast_in_half || options.data.sources.empty() || !options.pipeline.empty()) return {};
  const std::filesystem::path half = options.output.parent_path() / (options.model.stem().string() + ".fp16.onnx");
  DataOptions data = options.data, usual;
  std::string command = "detent cast " + shell_quoted(options.model.string()) +
                        typed_changes(data_options(data, true), data_options(usual, true));
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

/// Makes a good verdict doubtful where the engine may compute other numbers than the file says.
void doubt_engine(VerdictReport& verdict, const std::vector<EngineDoubt>& doubts) {
  if (!doubts.empty() && verdict.quality == Quality::Good) verdict.quality = Quality::Doubtful;
  for (const EngineDoubt& doubt : doubts) {
    verdict.caveats.insert(verdict.caveats.begin(), doubt.reason);
    verdict.cures.push_back(doubt.cure);
  }
}

/// Returns what transcripts say of the written model; nullopt without.
std::optional<JudgedFacts::Words> words_of(const std::optional<ScoreReport>& score) {
  if (!score || !score->drop || metric_named(score->metric).source != MetricSource::Transcripts) return std::nullopt;
  constexpr double kDeviations = 1.96;  // of a 95 % interval
  const auto& interval = score->interval;
  const double error = interval ? (interval->second - interval->first) / (2 * kDeviations) : 0;
  return JudgedFacts::Words{*score->drop, error, score->samples};
}

}  // namespace

std::vector<std::string> unseen_values(const Graph& graph, const Rewrite& rewrite) {
  std::vector<std::string> names;
  for (const QuantizedValue& one : rewrite.values) {
    const ValueId source = source_of_copy(graph, one.value);
    const Node* maker = graph.producer(source);
    const bool is_constant = graph.value(source).is_constant || (maker && maker->op_type == "ConstantOfShape");
    if (one.range.amax() == 0 && !is_constant) names.push_back(graph.value(one.value).name);
  }
  return names;
}

void judge_input(VerdictReport& verdict, const InputCheckReport& check) {
  const bool wrong = check.verdict == InputCheckReport::Verdict::Wrong;
  if (!wrong || !verdict.quality || *verdict.quality == Quality::Broken) return;
  verdict.quality = Quality::Unknown;
  verdict.reasons.insert(verdict.reasons.begin(), "the float model is fed wrongly");
}

void add_verdict(QuantizeReport& report, const QuantizeOptions& options, Prepared& prepared,
                 const VerdictGrounds& grounds) {
  // A plan of weights alone has neither pairs nor INT8 layers.
  const bool codes = !report.values.empty() || report.plan.coverage.int8_layers > 0 || !prepared.plan.weights.empty();
  JudgedFacts facts{.quantized = codes,
                    .calibration_samples = report.samples,
                    .closing = grounds.worse.closing.value_or(ClosingError{}),
                    .calibrated_with = grounds.calibrated_with,
                    .states = prepared.facts.states,
                    .labelled = report.score && metric_named(report.score->metric).source == MetricSource::Objects,
                    .words = words_of(report.score),
                    .unseen = grounds.unseen};
  VerdictReport& verdict = report.verdict = judge(facts);
  if (const std::string& caveat = grounds.worse.caveat; !caveat.empty())
    verdict.caveats.insert(verdict.caveats.begin(), caveat);
  if (!verdict.quality) return;
  doubt_engine(verdict, prepared.plan.doubts);
  const Target& target = *prepared.recipe.target;
  if (*verdict.quality == Quality::Unknown && facts.closing.uncomparable.empty()) {
    const bool too_few = facts.closing.detects_nothing || facts.closing.report.detections;
    verdict.cures.emplace_back(
        too_few ? "more samples (--eval) in which the float model detects objects with a score of 0.5"
                : "samples (--eval) on which outputs of the float model are finite and not 0");
    return;
  }
  if (*verdict.quality != Quality::Good) {
    facts.unseen.clear();
    bool known_cause = judge(facts).quality == Quality::Good;
    if (const auto& exact = grounds.worse.exact; !known_cause && exact && !grounds.worse.caveat.empty()) {
      facts.closing = *exact;
      known_cause = judge(facts).quality == Quality::Good;
      if (known_cause) verdict.cures.emplace_back("--cpu any (CPUs without VNNI alone are to blame)");
    }
    if (is_ending_early())  // who interrupts wants the file, and waits for nothing else
      report.ended.left_out.emplace_back("the values that cost most");
    else
      add_blame(report, options, prepared, grounds, known_cause);
    if (*verdict.quality == Quality::Unknown) return;
    if (!known_cause) std::ranges::copy(cures_for(report, options, target), std::back_inserter(verdict.cures));
  }
  add_half_alone(report, options, target);
}

}  // namespace detent
