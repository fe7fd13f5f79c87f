#include <string>

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "core/nearest_names.h"
#include "core/process/early_end.h"
#include "core/stop.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/compare.h"
#include "evaluate/judge.h"
#include "model/model.h"
#include "pipeline/candidate_judge.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/blocked_model.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/plan_report.h"
#include "place/engines/target.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/weight_bytes.h"
#include "run/model_inputs.h"
#include "run/open_samples.h"

namespace detent {

namespace {

const std::vector<std::string> kTypes = {"int8", "fp8", "int4"};
constexpr double kDefaultDrop = 0.01;  // a point; of nats about one per cent of perplexity
constexpr double kRounding = 1e-9;     // scores are quotients of counts: 0.79 - 0.78 is not 0.01

void note_first_calibration(CompareTypesReport& report, const Prepared& prepared, const Measured& measured) {
  const double seconds = report.calibration_seconds;
  if (report.calibration_samples == 0) {
    note_calibration(report, measured, prepared.recipe.data);
    report.equalized = prepared.equalize_report();
  }
  report.calibration_seconds = seconds + measured.calibration.seconds;
}

/// Adds a variant without scores, and its model.
void add(Candidates& all, CompareTypesReport& report, ComparedCandidate candidate, ComparedModel made, Model model,
         TypeFacts facts) {
  facts.weight_bytes = weight_bytes_by_type(model.graph());
  made.quantized = facts.quantized_layers > 0;
  report.variants.push_back({{}, candidate.calibrator, std::move(facts)});
  all.add(std::move(candidate), std::move(made), std::move(model));
}

/// Adds a type of activations and weights; returns true where the rest is in 16-bit floats.
bool add_with_pairs(Candidates& all, const std::string& type, const CompareTypesOptions& given,
                    const RequestedSamples& samples, CompareTypesReport& report) {
  ComparedOptions options = given;
  options.placement.type = type == "fp8" ? CodeType::Fp8 : CodeType::Int8;
  const std::vector<std::string> names = candidate_names({given.types.calibrator});
  Attempt attempt = measure(make(recipe_as_quantized(options, samples, names)));
  const auto& [prepared, measured, chosen] = attempt;
  Candidates made = make_candidates(names, attempt, options);
  note_first_calibration(report, prepared, measured);
  const CoverageReport& coverage = prepared.plan.coverage;
  ComparedCandidate& candidate = made.candidates.front();
  candidate.name = type;
  TypeFacts facts{.layers = coverage.layers,
                  .quantized_layers = coverage.int8_layers,
                  .pairs = coverage.pairs,
                  .by_inputs = made.made.front().weights_rounded};
  add(all, report, std::move(candidate), std::move(made.made.front()), std::move(made.models.front()),
      std::move(facts));
  return prepared.half.has_value();
}

void add_weights_alone(Candidates& all, const std::string& type, const CompareTypesOptions& options,
                       const DataSource& data, CompareTypesReport& report) {
  const Stopwatch stopwatch;
  const WeightFormat format{.codes = WeightCodes::Int4, .block = options.types.block};
  const BlockedRequest request{format, find_target(options.target), options.placement, options.run};
  Model model = read_float_model(options.model);
  const ModelFacts facts = facts_of(model);
  const auto inputs = read_first_inputs(data, options.run);
  BlockedModel blocked = make_blocked_model(std::move(model), request, &data, inputs);
  ComparedModel made{.origin = describe_blocked_origin(blocked, request, facts)};
  TypeFacts type_facts{.layers = static_cast<int64_t>(blocked.plan.layers.size()),
                       .quantized_layers = static_cast<int64_t>(blocked.plan.weights.size()),
                       .block = format.block,
                       .by_inputs = blocked.rounding && blocked.rounding->kept};
  ComparedCandidate candidate{.name = type, .calibrator = ""};
  candidate.choosing_seconds = blocked.rounding ? blocked.rounding->seconds : 0;
  write_blocks(blocked);
  made.seconds = stopwatch.seconds() - candidate.choosing_seconds;
  add(all, report, std::move(candidate), std::move(made), std::move(blocked.model), std::move(type_facts));
}

/// Returns the variant's loss of the metric, or its SQNR. NaN where it was not measured.
double loss_of(const CompareTypesReport& report, const std::string& metric, const ComparedVariant& variant) {
  const auto& metrics = variant.metrics;
  const auto score = metrics.find(metric), fp32 = report.fp32.find(metric);
  if (score == metrics.end()) return std::numeric_limits<double>::quiet_NaN();
  if (metric == metrics::kSqnr.name) return score->second;
  const double whole = fp32 == report.fp32.end() ? 1 : fp32->second;  // agreement with FP32 itself
  return metric_named(metric).falls() ? score->second - whole : whole - score->second;
}

/// Checks the options before anything is read.
/// Errors  Usage, as compare_types() says.
void check_types(const CompareTypesOptions& options) {
  const TypeChoice& choice = options.types;
  if (choice.names.empty()) throw Error(ErrorCode::Usage, "--types names no type", "int8, fp8, int4");
  for (size_t i = 0; i < choice.names.size(); ++i) {
    const std::string& name = choice.names[i];
    if (std::ranges::find(kTypes, name) == kTypes.end())
      throw Error(ErrorCode::Usage, "--types: '" + name + "' is not one of int8, fp8, int4",
                  did_you_mean(name, kTypes));
    if (std::ranges::count(choice.names, name) > 1) throw Error(ErrorCode::Usage, "--types names " + name + " twice");
  }
  if (choice.max_drop && choice.min_sqnr_db)
    throw Error(ErrorCode::Usage, "--max-drop and --min-sqnr exclude each other");
  if (choice.max_drop && !judges_a_task(options.evaluation))
    throw Error(ErrorCode::Usage, std::string("--max-drop needs a score, which ") + kTaskOptions + " give",
                "--min-sqnr bounds the error at the outputs without any");
  static_cast<void>(block_format({.block = choice.block}));
}

/// Makes the models of options.types one after the other: only one Prepared at a time is in memory. Fills the report's
/// variants without scores, and its facts of the calibration: samples, seconds, outliers and equalization of the first
/// type with activations. Adds the baselines where a type leaves 16-bit floats.
/// Errors  those of make, make_candidates, make_blocked_model and add_baselines.
Candidates make_typed_candidates(const CompareTypesOptions& options, const RequestedSamples& requested,
                                 CompareTypesReport& report) {
  Candidates candidates;
  bool half = false;
  std::unique_ptr<DataSource> data;
  const auto samples = [&]() -> const DataSource& {
    if (!data) data = open_samples(requested.data, read_float_model(options.model));
    return *data;
  };
  for (const std::string& type : options.types.names) {
    if (is_ending_early() && !candidates.candidates.empty()) {
      report.ended.left_out.push_back(type);
      continue;
    }
    const Unstopped whole;
    if (type == "int4")
      add_weights_alone(candidates, type, options, samples(), report);
    else
      half |= add_with_pairs(candidates, type, options, requested, report);
  }
  if (report.calibration_samples == 0)
    report.calibration_samples = samples().size() / std::max<size_t>(1, requested.data.steps.value_or(1));
  if (half) add_baselines(candidates, options.model, samples(), options.run);
  return candidates;
}

/// Compares every variant of a judged report with the limit of `choice`, or the default.
std::optional<TypeLimit> held_limit(const TypeChoice& choice, const CompareTypesReport& report) {
  TypeLimit limit{.given = choice.max_drop || choice.min_sqnr_db};
  if (report.criterion == metrics::kCommand.name && !limit.given) return std::nullopt;
  const bool by_error = choice.min_sqnr_db || (!choice.max_drop && report.criterion == metrics::kSqnr.name);
  const double bound = by_error ? choice.min_sqnr_db.value_or(rule_of(Measure::Output).good_from)
                                : choice.max_drop.value_or(kDefaultDrop);
  limit.option = fmt::format("{} {:.6g}", by_error ? "--min-sqnr" : "--max-drop", bound);
  limit.metric = by_error ? metrics::kSqnr.name : report.criterion;
  const TypeVariant* smallest = nullptr;
  for (const TypeVariant& variant : report.variants) {
    const double loss = loss_of(report, limit.metric, variant);
    limit.losses.push_back(loss);
    const bool within = (by_error ? loss >= bound : loss <= bound + kRounding) &&
                        variant.facts.quantized_layers > 0;  // without, it is the float model
    if (within && (!smallest || variant.size_bytes < smallest->size_bytes)) smallest = &variant;
  }
  if (smallest) limit.smallest = smallest->name;
  return limit;
}

}  // namespace

CompareTypesReport compare_types(const CompareTypesOptions& options) {
  const StopScope stop(options.run.stop);
  const EarlyEnd early(options.run.time_limit);
  check_types(options);
  const RequestedSamples samples = requested_samples(options.data, &options.evaluation.data, options.run);
  const Model reference = read_float_model(options.model);
  const ModelFacts facts = facts_of(reference);
  const CandidateJudge judge(options, samples.eval, reference);

  CompareTypesReport report;
  report.model = options.model.string();
  report.target = find_target(options.target).spec();
  report.opset = facts.opset, report.nodes = facts.nodes;
  report.model_bytes = facts.bytes;
  for (const auto& [type, bytes] : weight_bytes_by_type(reference.graph())) report.weight_bytes += bytes;

  // each type quantized once, then all on the same samples
  Candidates candidates = make_typed_candidates(options, samples, report);
  judge.judge(report, candidates, std::to_string(candidates.candidates.size()) + " types");

  if (report.detections) report.detections->quantized = report.winner;
  report.limit = held_limit(options.types, report);
  return report;
}

}  // namespace detent
