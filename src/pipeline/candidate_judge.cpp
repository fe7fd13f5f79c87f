#include "pipeline/candidate_judge.h"

#include <algorithm>
#include <utility>

#include "core/files/output_set.h"
#include "core/process/early_end.h"
#include "core/stopwatch.h"
#include "detent/base/calibrator.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/error_sums.h"
#include "evaluate/score_error.h"
#include "pipeline/latency/sample_shapes.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/cast_nodes.h"
#include "pipeline/parts/detection_pictures.h"
#include "pipeline/parts/early_result.h"
#include "pipeline/parts/provenance.h"
#include "prepare/read_model_to_run.h"
#include "rewrite/quantized_model.h"
#include "run/open_samples.h"
#include "run/workers.h"
#include "tune/correct_biases.h"
#include "tune/refine/round_weights.h"

namespace detent {

Provenance Candidates::origin_of(const ComparedCandidate& candidate) const {
  Provenance provenance = made[candidate.model].origin;
  provenance.calibrator = candidate.calibrator;
  return provenance;
}

std::vector<std::string> Candidates::folder_names() const {
  std::vector<std::string> folders(1 + models.size());
  folders[0] = "fp32";
  for (const auto* all : {&baselines, &candidates})
    for (size_t c = all->size(); c-- > 0;) folders[1 + (*all)[c].model] = (*all)[c].name;
  return folders;
}

void Candidates::add(ComparedCandidate candidate, ComparedModel how, Model model) {
  candidate.model = models.size();
  candidates.push_back(std::move(candidate));
  made.push_back(std::move(how));
  models.push_back(std::move(model));
}

void Candidates::append(Candidates more) {
  const size_t before = models.size();
  for (const auto& [from, into] : {std::pair(&more.candidates, &candidates), std::pair(&more.baselines, &baselines)})
    for (ComparedCandidate& one : *from) {
      one.model += before;
      into->push_back(std::move(one));
    }
  std::ranges::move(more.made, std::back_inserter(made));
  std::ranges::move(more.models, std::back_inserter(models));
}

std::vector<std::string> candidate_names(const std::vector<std::string>& specs) {
  std::vector<std::string> names;
  for (const std::string& spec : specs) {
    names.push_back(is_auto(spec) ? spec : make_calibrator(spec)->name());
    if (std::find(names.begin(), names.end() - 1, names.back()) != names.end() - 1)
      throw Error(ErrorCode::Usage, "--calibrators names " + names.back() + " twice");
  }
  if (names.empty()) throw Error(ErrorCode::Usage, "--calibrators names no calibrator");
  return names;
}

Candidates make_candidates(const std::vector<std::string>& names, Attempt& attempt, const ComparedOptions& options) {
  const Unstopped whole;  // the time limit ends the judging, on fewer samples
  const auto& [prepared, measured, chosen] = attempt;
  Candidates all;
  std::optional<Chosen> automatic;
  const Stopwatch choosing;
  if (std::ranges::any_of(names, is_auto))
    automatic = choose_beside_float(attempt, nullptr, {});
  else
    apply(find_ruinous(attempt, names.size() == 1 ? make_calibrator(names.front()).get() : nullptr), attempt);
  const double choosing_seconds = choosing.seconds();
  warn_of_unsupported_tail(prepared.graph(), *options.run.reporter);
  const RangesOf ranges_of = ranges_from(prepared, measured);
  DistinctRanges distinct;
  for (const std::string& name : names) {
    const Stopwatch stopwatch;
    ComparedCandidate& candidate = all.candidates.emplace_back(name, name);
    if (is_auto(name)) {
      candidate.calibrator = automatic->calibrator->name();
      distinct.add(std::move(automatic->ranges));
    } else {
      distinct.add(ranges_of(*make_calibrator(name)));
    }
    candidate.model = distinct.variant_of.back();
    candidate.choosing_seconds = is_auto(name) ? choosing_seconds : stopwatch.seconds();
  }
  const Model& model = prepared.model();
  const PlacementPlan& plan = prepared.plan;
  const RewriteOptions& format = prepared.recipe.format;
  const DataSource* source = prepared.data.get();
  WeightMemo weights;  // the same in all of them
  for (auto& ranges : distinct.ranges) {
    const Stopwatch stopwatch;
    GraphPatch constants, biases;
    if (source && level_of().rounds_weights_of(options.placement.type))
      constants = round_weights(model, plan, ranges, format, source, options.run).patch;
    const bool rounded = !constants.empty();
    if (options.equalize.bias_correction.value_or(false))
      biases = correct_biases(model, plan, ranges, format, source, options.run, constants).patch;
    const bool corrected = !biases.empty();
    constants = joined(constants, biases);
    all.models.push_back(quantized_model(model, plan, ranges, format, constants, rounded ? nullptr : &weights));
    Provenance origin =
        describe_origin(prepared, measured.calibration,
                        {options.placement, options.format, options.equalize, level_of().level, options.outliers},
                        {.biases_corrected = corrected});
    origin.ranges = ranges_fingerprint(model.graph(), ranges);
    all.made.push_back({.ranges = std::move(ranges),
                        .constants = std::move(constants),
                        .weights_rounded = rounded,
                        .origin = std::move(origin),
                        .seconds = stopwatch.seconds()});
  }
  return all;
}

void note_calibration(ComparisonReport& report, const Measured& measured, const SampleRequest& data) {
  report.calibration_samples = measured.calibration.samples / std::max<size_t>(1, data.steps.value_or(1));
  report.calibration_seconds = measured.calibration.seconds;
  report.skipped_samples = measured.calibration.skipped;
  report.outliers = measured.outlier_report;
}

void add_baselines(Candidates& candidates, const std::filesystem::path& model, const DataSource& source,
                   const RunSettings& run) {
  const Unstopped whole;
  for (const auto& [type, name] : {std::pair(FloatType::Fp16, "fp16"), std::pair(FloatType::Bf16, "bf16")}) {
    const Stopwatch stopwatch;
    Model cast = read_float_model(model);
    try {
      static_cast<void>(cast_nodes(cast, type, source, run));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unsupported) throw;
      run.reporter->warn(std::string(name) + " is not compared: " + error.what());
      continue;
    }
    candidates.baselines.push_back({.name = name, .calibrator = "", .model = candidates.models.size()});
    candidates.made.push_back({.seconds = stopwatch.seconds()});
    candidates.models.push_back(std::move(cast));
  }
}

namespace {

/// The rows of the candidates while the best is sought.
struct Contest {
  const Candidates& candidates;
  std::vector<ComparedVariant>& rows;
  std::vector<double> sqnr_db = {};  ///< of the worst output, by candidate

  [[nodiscard]] bool is_quantized(size_t c) const { return candidates.made[candidates.candidates[c].model].quantized; }
  [[nodiscard]] std::pair<double, double> rank(const std::string& criterion, size_t c) const {
    if (criterion == metrics::kSqnr.name) return {sqnr_db[c], sqnr_db[c]};
    return rank_of(metric_named(criterion), rows[c].metrics.at(criterion), sqnr_db[c]);
  }
};

/// Returns the metric that decides.
/// Errors  InvalidOption when there is nothing to judge by.
std::string criterion_of(const ComparedVariant& first) {
  const auto* criterion = std::ranges::find_if(kMetrics, [&](const Metric& metric) {
    return metric.use == MetricUse::Decides && first.metrics.contains(metric.name);
  });
  if (criterion == kMetrics.end())
    throw Error(ErrorCode::InvalidOption,
                "no output can be compared: each is integer, 0 throughout, or changes its shape between variants",
                "judge by --labels, --masks or --metric-command");
  return criterion->name;
}

/// Returns the position of the best candidate, the first of equals; 0 where none is quantized.
size_t best_of(const Contest& contest, const std::string& criterion) {
  const size_t count = contest.rows.size();
  size_t best = count;
  for (size_t c = 0; c < count; ++c)
    if (contest.is_quantized(c) && (best == count || contest.rank(criterion, best) < contest.rank(criterion, c)))
      best = c;
  return best == count ? 0 : best;
}

/// Fills standard errors, and the candidates that tie with the best one.
void add_uncertainty(ComparisonReport& report, const Contest& contest, size_t best, const Evaluation& evaluation) {
  const auto errors = score_errors(evaluation, report.criterion);
  if (!errors) return;
  const Candidates& all = contest.candidates;
  const auto score = [&](size_t c) { return contest.rank(report.criterion, c).first; };
  const size_t winner = all.candidates[best].model;
  for (size_t b = 0; b < report.baselines.size(); ++b)
    report.baselines[b].score_error = errors->own[all.baselines[b].model];
  for (size_t c = 0; c < contest.rows.size(); ++c) {
    const size_t model = all.candidates[c].model;
    contest.rows[c].score_error = errors->own[model];
    const bool equal = model == winner || score(c) == score(best);  // the same model, or both exact
    if (c != best && contest.is_quantized(c) &&
        (equal || score(best) - score(c) <= kToldApartErrors * errors->difference[winner][model]))
      report.ties.push_back(contest.rows[c].name);
  }
}

/// Fills the errors of every sample, and its score by the criterion where that judges single samples.
void add_samples(ComparedVariant& row, size_t model, const Evaluation& evaluation, const std::string& criterion) {
  const std::vector<std::vector<ErrorSums>>& batches = evaluation.by_batch.at(model);
  const bool tasks = evaluation.task_by_batch.size() > 1 + model;
  for (size_t b = 0; b < batches.size(); ++b) {
    ErrorReport::Sample sample{evaluation.batch_names[b], summarize_errors(evaluation.outputs, batches[b], 1).sqnr_db,
                               std::nullopt};
    if (tasks) {
      const auto metrics = evaluation.task_by_batch[1 + model][b].metrics();
      if (const auto found = metrics.find(criterion); found != metrics.end()) sample.score = found->second;
    }
    row.by_sample.push_back(std::move(sample));
  }
}

/// Returns the row of a candidate or a baseline.
ComparedVariant row_of(const ComparedCandidate& candidate, const Candidates& all, const TaskScores& scores,
                       size_t workers) {
  const size_t model = candidate.model;
  const ErrorReport error = scores.evaluation.report(model);
  ComparedVariant row{.name = candidate.name, .metrics = scores.metrics(1 + model), .outputs = error.outputs};
  for (const auto& [metric, member] : kErrorMetrics)
    if (const std::optional<double>& value = error.*member) row.metrics[metric.name] = *value;
  row.size_bytes = all.models[model].byte_size();
  row.seconds = scores.evaluation.seconds[1 + model] / static_cast<double>(workers) + candidate.choosing_seconds +
                all.made[model].seconds;
  if (!scores.command_seconds.empty()) row.seconds += scores.command_seconds[1 + model];
  return row;
}

}  // namespace

CandidateJudge::CandidateJudge(const ComparedOptions& options, const SampleRequest& eval, const Model& reference)
    : options_(options), eval_(eval), by_batch_(options.evaluation), samples_(open_samples(eval, reference)),
      texts_(take_texts(by_batch_, eval, reference, options.run)),
      judge_(by_batch_, eval, reference, samples_, options.run) {
  if (!options.draw.empty()) {
    check_drawing(options.draw, options.overwrite_draw);
    check_drawable(options.model, judge_.task().recognized());
  }
  if (options.latency.given()) timer_ = std::make_unique<Timer>(options);
}

CandidateJudge::Timer::Timer(const ComparedOptions& options)
    : command(with_sample_shapes(options.latency, options.model, options.data, options.run), folder),
      of_float(compared_latency(command, options.model)) {}

CandidateJudge::Judged CandidateJudge::judge_all(ComparisonReport& report, Candidates& candidates,
                                                 const std::string& what) const {
  const Stopwatch stopwatch;
  const size_t shown = options_.pictures || !options_.draw.empty() ? kShownSamples : 0;
  const auto judge = [&] {
    return judge_.judge(candidates.models, candidates.folder_names(), "comparing " + what, {.shown = shown});
  };
  TaskScores scores = [&] {
    if (options_.evaluation.metric || !options_.evaluation.metric_command.empty()) {  // it judges all samples or none
      const Unstopped whole;
      return judge();
    }
    report.ended.finishing = take_interruptions("the table of the samples so far follows");
    return on_part_of_samples(judge);
  }();
  scores.call_command(*options_.run.reporter);
  Evaluation& evaluation = scores.evaluation;
  std::optional<Evaluation> texts;
  if (texts_ && is_ending_early()) report.ended.left_out.emplace_back("texts");
  if (texts_ && !is_ending_early()) {
    const Unstopped whole;
    texts = evaluate_texts(*texts_, candidates.models, "decoding with " + what);
    evaluation.task.resize(texts->task.size());
    for (size_t m = 0; m < texts->task.size(); ++m) evaluation.task[m].texts = texts->task[m].texts;
  }

  report.evaluation_samples = evaluation.samples;
  report.steps = eval_.steps.value_or(0);
  report.evaluation_digest = samples_.digest();
  report.evaluation_spread = eval_.spread && eval_.limit == samples_.size() / std::max<size_t>(1, report.steps);
  report.evaluation_seconds = stopwatch.seconds();
  report.skipped_samples += evaluation.skipped;
  report.fp32 = scores.metrics(0);
  report.labels = judge_.task().reading();
  report.outputs = evaluation.meanings;
  const size_t workers = worker_count(options_.run);
  Judged judged;
  Contest contest{candidates, judged.rows};
  for (const ComparedCandidate& candidate : candidates.candidates) {
    write_provenance(candidates.models[candidate.model], candidates.origin_of(candidate));  // counts in the size
    judged.rows.push_back(row_of(candidate, candidates, scores, workers));
    contest.sqnr_db.push_back(worst_sqnr_db(evaluation.report(candidate.model)));
  }
  for (const ComparedCandidate& baseline : candidates.baselines)
    report.baselines.push_back(row_of(baseline, candidates, scores, workers));
  report.criterion = criterion_of(judged.rows.front());
  judged.winner = best_of(contest, report.criterion);
  report.winner = judged.rows[judged.winner].name;
  const bool by_texts = texts && metric_named(report.criterion).source == MetricSource::Transcripts;
  add_uncertainty(report, contest, judged.winner, by_texts ? *texts : evaluation);
  for (size_t c = 0; c < judged.rows.size(); ++c)
    add_samples(judged.rows[c], candidates.candidates[c].model, evaluation, report.criterion);
  for (size_t b = 0; b < report.baselines.size(); ++b)
    add_samples(report.baselines[b], candidates.baselines[b].model, evaluation, report.criterion);
  note_end(report.ended, std::move(report.ended.left_out));
  if (timer_ && is_ending_early())
    report.ended.left_out.emplace_back("latency");
  else if (timer_)
    time(report, judged.rows, candidates);
  const ComparedCandidate& winner = candidates.candidates[judged.winner];
  report.provenance = candidates.origin_of(winner);
  if (judge_.task().recognized() && shown > 0) show(report, std::move(evaluation.shown[winner.model]));
  return judged;
}

void CandidateJudge::time(ComparisonReport& report, std::vector<ComparedVariant>& rows,
                          const Candidates& candidates) const {
  Reporter& reporter = *options_.run.reporter;
  reporter.begin("measuring latency", candidates.models.size());
  report.latency_command = options_.latency.command;
  report.float_latency = timer_->of_float;
  std::vector<ComparedLatency> times;
  for (const Model& model : candidates.models) {
    const std::filesystem::path file = timer_->folder.path() / "model.onnx";
    {
      const AtOnce scratch;
      write_model(model, file, {.overwrite = true});
    }
    times.push_back(compared_latency(timer_->command, file));
    reporter.advance_to(times.size());
  }
  reporter.end();
  for (size_t c = 0; c < rows.size(); ++c) rows[c].latency = times[candidates.candidates[c].model];
  for (size_t b = 0; b < report.baselines.size(); ++b)
    report.baselines[b].latency = times[candidates.baselines[b].model];
}

void CandidateJudge::show(ComparisonReport& report, std::vector<ShownDetections> shown) const {
  const PicturedSamples pictured{samples_, eval_.preprocess.images};
  if (options_.pictures) report.detections = picture_detections(shown, pictured);
  if (options_.draw.empty()) return;
  put_worst_first(shown);
  shown.resize(std::min(shown.size(), kDrawnSamples));
  draw_detections(options_.draw, shown, pictured, DrawnModels::Both);
}

}  // namespace detent
