#include "tune/choose_calibrator.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <set>

#include "calibrate/outlier_samples.h"
#include "calibrate/range_errors.h"
#include "core/index.h"
#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "evaluate/compared_values.h"
#include "evaluate/detection_judge.h"
#include "evaluate/error_sums.h"
#include "evaluate/judged_batches.h"
#include "evaluate/sample_scores.h"
#include "exec/runnable_part.h"
#include "rewrite/quantized_model.h"
#include "rewrite/weight_memo.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "run/samples_together.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

/// The first kProbes clip nothing, and what costs least: where neither serves, no candidate does.
constexpr std::array<std::string_view, 11> kCandidates = {"max",
                                                          "mse",
                                                          "entropy",
                                                          "entropy:unbounded",
                                                          "percentile:99.9",
                                                          "percentile:99.99",
                                                          "percentile:99.999",
                                                          "samplemax:99",
                                                          "samplemax:95",
                                                          "samplemax:90",
                                                          "samplemax:50"};
constexpr std::string_view kOfNothing = "mse";  // reported where no value has a range
constexpr size_t kProbes = 2;
constexpr size_t kFinalists = 4;
constexpr size_t kGrowth = 3;          // the most samples of a round over those of all rounds before
constexpr size_t kRoughFinalists = 6;  // of a detector
/// 5 s of one core at 15e9 a second: networks of 8-bit dot products reach 10 to 27 beside FP32.
constexpr double kMacs = 75e9;
/// Runs for each calibration sample: measuring costs as much as calibrating.
constexpr double kLeastOfCalibration = 0.2, kMostOfCalibration = 1;
constexpr double kVariantRuns = 1;  // making a variant costs about as much as running it
constexpr double kLastSamples = 5;  // of the finalists, where the calibration pays for no more
/// Small networks run more often: 1.5e9 multiplications take a tenth of a second. Beside them a run has other costs.
constexpr double kFewMacs = 1.5e9, kMostOfSmall = 3;
constexpr double kShareOfFirstRound = 0.5;
constexpr double kProbesBelowDb = 6;  // no candidate is further ahead of both probes
/// Candidates further behind after a round do not win the next.
constexpr double kFarBehindDb = 1, kErrorsBehind = 2;

Error nothing_to_compare(const std::string& why) {
  return {ErrorCode::InvalidOption, "--calibrator auto measures at the outputs, but " + why,
          "name a calibrator: percentile:99.99 is a good first choice"};
}

/// Returns how often quantized models may run, with the runs that making them is worth. Fewer than kRoughSamples
/// samples of all variants and kLastSamples of the finalists tell nothing.
double affordable_runs(const PlacementPlan& plan, const Calibration& calibration, size_t variants) {
  const auto samples = static_cast<double>(calibration.samples), macs = static_cast<double>(plan.coverage.macs);
  if (macs == 0) return kLeastOfCalibration * samples;
  const double small = std::min(kFewMacs / macs, kMostOfSmall * samples);
  const double few =
      static_cast<double>(variants) * (kRoughSamples + kVariantRuns) + kFinalists * (kLastSamples + kVariantRuns);
  const double paid = std::max({few, small, kMostOfCalibration * samples});
  return std::max(std::min(paid, kMacs / macs), kLeastOfCalibration * samples);
}

/// The variants and their measurements so far.
class Contest {
 public:
  explicit Contest(const CalibratorQuestion& question)
      : question_(question), samples_(samples_by_hash(*question.source, kJudgedSamples)) {
    if (question.source->batch() == 1)
      extremes_ = samples_of_extremes(question.calibration, kMostExtremes, question.clipped);
    const SampleSubset first(*question.source, samples_);
    names_ = in_front_of_softmax(question.model.graph(), values_to_compare(question.model, first, question.settings));
    if (names_.empty()) return;
    finds_objects_ = recognize_detections(question.model, first, question.settings).has_value();
    const Graph& graph = question.model.graph();
    together_ = question.together ? *question.together : samples_together(graph, values_named(graph, names_), first);
    for (const std::string_view name : kCandidates) variants_.add(question.ranges_of(*make_calibrator(name)));
    regrets_ = worst_regrets_db(variants_.ranges, question.calibration, question.format.range_kind());
    results_.resize(variants_.ranges.size());
    rounds();
  }

  /// True when some output could be compared.
  [[nodiscard]] bool decided() const { return !outputs_.empty(); }
  [[nodiscard]] std::map<ValueId, Range> take_ranges() { return std::move(variants_.ranges[winner_]); }
  /// Returns a line for each candidate whose variant was run.
  [[nodiscard]] CalibratorMeasurement report() const {
    CalibratorMeasurement measurement;
    bool named = false, highest_named = false;
    for (size_t c = 0; c < kCandidates.size(); ++c) {
      const size_t variant = variants_.variant_of[c];
      const Result& result = results_[variant];
      if (result.samples_db.empty()) continue;
      if (variant == winner_ && !named) measurement.winner = measurement.candidates.size(), named = true;
      if (variant == highest_ && !highest_named)
        measurement.highest = measurement.candidates.size(), highest_named = true;
      const ErrorReport error = summarize_errors(outputs_, result.sums, result.samples);
      measurement.candidates.push_back({std::string(kCandidates[c]),
                                        told_score_db(result.samples_db, weights_of(result)), error,
                                        regrets_[variant]});
      measurement.samples = std::max(measurement.samples, result.samples);
    }
    return measurement;
  }

 private:
  struct Result {
    std::vector<double> samples_db;
    std::vector<bool> extreme;    // by sample: it is one of extremes_
    std::vector<ErrorSums> sums;  // by output
    size_t samples = 0;
  };

  void rounds() {
    std::vector<size_t> playing(results_.size());
    std::iota(playing.begin(), playing.end(), size_t{0});
    const bool thorough = question_.effort.thorough;
    double runs = thorough ? std::numeric_limits<double>::infinity()
                           : affordable_runs(question_.plan, question_.calibration, results_.size());
    const size_t fewest = finds_objects_ ? kFewestOfDetector : kRoughSamples;
    if (!finds_objects_ && runs < static_cast<double>(fewest * playing.size())) {  // the safest, at least two
      std::ranges::stable_sort(playing, {}, [&](size_t v) { return regrets_[v]; });
      playing.resize(
          std::clamp<size_t>(static_cast<size_t>(runs) / fewest, std::min<size_t>(2, playing.size()), playing.size()));
      std::ranges::sort(playing);
    }
    // The first round and those of a detector take place at any cost. A round that does not double the samples would
    // tell little for making its variants.
    size_t next = thorough
                      ? samples_.size()
                      : std::max(fewest, std::min(kFewestToJudge, most_samples(kShareOfFirstRound * runs, playing)));
    size_t played = 0;
    do {
      runs -= (static_cast<double>(next) + kVariantRuns) * static_cast<double>(playing.size());
      const SampleSubset samples = deciding(played, next);
      if (samples.size() == 0) break;  // all were measured, as ends of ranges
      const JudgedBatches batches(question_.model, played == 0 ? names_ : outputs_, samples, question_.settings,
                                  nullptr, kJudgedBytes, together_);
      if (played > 0)
        play(playing, batches);
      else if (play_first(playing, batches) || !decided())
        return;
      played += next;
      const bool ranked = !finds_objects_ || played >= std::min(kRankedOfDetector, samples_.size());
      playing = finalists(playing, ranked ? kFinalists : kRoughFinalists);
      highest_ = best_of(playing);
      if (played == next && ends(highest_, 0)) return;
      const size_t least = !finds_objects_ ? 0 : ranked ? kFinalOfDetector : kRankedOfDetector;
      next = std::min(kGrowth * played, std::max(least - std::min(least, played), most_samples(runs, playing)));
    } while (playing.size() > 1 && next >= played && played < samples_.size());
    std::vector<CandidateScores> scores;
    for (const size_t v : playing) scores.push_back({results_[v].samples_db, regrets_[v], weights_of(results_[v])});
    winner_ = finds_objects_ ? highest_ : playing[choose_within_band(scores)];
  }

  /// Returns the weight of each sample: one that is measured because it reaches an end of a range stands for itself,
  /// the others for all other samples. Empty: all alike.
  [[nodiscard]] std::vector<double> weights_of(const Result& result) const {
    const auto count = static_cast<double>(result.extreme.size()), all = static_cast<double>(question_.source->size());
    const auto extreme = static_cast<double>(std::ranges::count(result.extreme, true)), others = count - extreme;
    if (extreme == 0 || others == 0 || count >= all) return {};
    std::vector<double> weights;
    for (const bool one : result.extreme) weights.push_back(one ? 1 / all : (1 - extreme / all) / others);
    return weights;
  }
  [[nodiscard]] double score_of(size_t v) const { return score_db(results_[v].samples_db, weights_of(results_[v])); }

  [[nodiscard]] size_t best_of(const std::vector<size_t>& variants) const {
    return *std::ranges::max_element(variants, {}, [&](size_t v) { return score_of(v); });
  }

  /// Returns on how many samples `runs` runs measure each of the variants.
  static size_t most_samples(double runs, const std::vector<size_t>& variants) {
    const double each = runs / static_cast<double>(variants.size()) - kVariantRuns;
    return static_cast<size_t>(std::clamp(each, 0.0, double{kJudgedSamples}));
  }

  /// Returns the best of `playing` that may still win, in their order.
  /// most  how many at most
  [[nodiscard]] std::vector<size_t> finalists(const std::vector<size_t>& playing, size_t most) const {
    std::vector<size_t> order = playing;
    std::ranges::stable_sort(order, std::greater<>{}, [&](size_t v) { return score_of(v); });
    const size_t best = order.front();
    const std::vector<double> weights = weights_of(results_[best]);
    std::erase_if(order, [&](size_t v) {
      const double error = difference_error_db(results_[best].samples_db, results_[v].samples_db, weights);
      return score_of(best) - score_of(v) > std::max(kFarBehindDb, kErrorsBehind * error);
    });
    order.resize(std::min(order.size(), most));
    std::ranges::sort(order);
    return order;
  }

  /// Returns up to `count` deciding samples from `first` on, and half as many that reach an end of a range: all of
  /// these after the first round. No sample comes twice.
  [[nodiscard]] SampleSubset deciding(size_t first, size_t count) {
    std::vector<size_t> round;
    const auto take = [&](size_t sample) {
      if (taken_.insert(sample).second) round.push_back(sample);
    };
    const size_t end = first + std::min(count, samples_.size() - first);
    for (size_t i = first; i < end; ++i) take(samples_[i]);
    const size_t wanted = first == 0 ? (count + 1) / 2 : extremes_.size();
    const std::set<std::string> names(extremes_.begin(),
                                      extremes_.begin() + as_extent(std::min(wanted, extremes_.size())));
    for (size_t i = 0; i < question_.source->size() && !names.empty(); ++i)
      if (names.contains(question_.source->sample_name(i))) take(i);
    return {*question_.source, std::move(round)};
  }

  /// Measures all variants on the first samples. True where the choice ends there.
  bool play_first(const std::vector<size_t>& playing, const JudgedBatches& batches) {
    const auto is_probe = [&](size_t v) {
      return v == variants_.variant_of[0] || v == variants_.variant_of[kProbes - 1];
    };
    std::vector<size_t> probes, others;
    for (const size_t v : playing) (is_probe(v) ? probes : others).push_back(v);
    play(probes, batches);
    if (!probes.empty() && decided() && ends(best_of(probes), kProbesBelowDb)) return true;
    if (play(others, batches)) return false;
    outputs_.clear(), results_.assign(results_.size(), {});  // a shape turned out to depend on the data
    play(playing, batches);
    return false;
  }

  /// Returns whether the caller ends the choice. below_db  how much higher another may be than this one
  [[nodiscard]] bool ends(size_t highest, double below_db) const {
    return question_.ends_with && question_.ends_with(score_of(highest) + below_db);
  }

  /// Measures variants on the samples of a round, of which they have measured none. False, without a result, where
  /// other outputs can be compared than before.
  bool play(const std::vector<size_t>& playing, const JudgedBatches& batches) {
    if (playing.empty()) return true;
    const auto model_of = [&](size_t i) {
      return quantized_model(question_.model, question_.plan, variants_.ranges[playing[i]], question_.format, {},
                             &weights_);
    };
    const std::string task = "measuring " + std::to_string(playing.size()) + " calibrators";
    const Evaluation evaluation = evaluate_on_batches(playing.size(), model_of, batches, question_.settings, task);
    const auto scores = sample_scores(evaluation);
    if (outputs_.empty()) outputs_ = evaluation.outputs;
    if (evaluation.outputs != outputs_) return false;
    for (size_t i = 0; i < playing.size(); ++i) {
      Result& result = results_[playing[i]];
      result.samples_db.insert(result.samples_db.end(), scores[i].begin(), scores[i].end());
      for (const std::string& name : evaluation.batch_names)
        result.extreme.push_back(std::ranges::find(extremes_, name) != extremes_.end());
      result.sums.resize(outputs_.size());
      for (size_t o = 0; o < outputs_.size(); ++o) result.sums[o] += evaluation.errors[i][o];
      result.samples += evaluation.samples;
    }
    return true;
  }

  const CalibratorQuestion& question_;
  std::vector<size_t> samples_;
  std::vector<std::string> extremes_;  // names of samples that reach an end of a range
  std::set<size_t> taken_;             // samples of the rounds so far
  std::vector<std::string> names_, outputs_;
  DistinctRanges variants_;
  std::vector<double> regrets_;
  std::vector<Result> results_;
  WeightMemo weights_;   // the same in all variants, unless biases need other scales
  size_t together_ = 1;  // samples that run at once
  size_t winner_ = 0, highest_ = 0;
  bool finds_objects_ = false;  // few boxes and scores are not the better for values of little regret
};

}  // namespace

void DistinctRanges::add(std::map<ValueId, Range> chosen) {
  const auto same = std::find(ranges.begin(), ranges.end(), chosen);
  variant_of.push_back(static_cast<size_t>(same - ranges.begin()));
  if (same == ranges.end()) ranges.push_back(std::move(chosen));
}

bool is_auto(std::string_view calibrator) { return calibrator == "auto"; }

std::span<const std::string_view> auto_candidates() { return kCandidates; }

ChosenRanges choose_calibrator(const CalibratorQuestion& question) {
  if (question.plan.quantized_values().empty())  // every candidate is the same model
    return {make_calibrator(kOfNothing), {}, std::nullopt};
  if (!question.source) throw nothing_to_compare("there is no --data to run");
  const Stopwatch stopwatch;
  Contest contest(question);
  if (!contest.decided()) {
    if (question.effort.otherwise.empty())
      throw nothing_to_compare("no output that can run comes from float values and has the same shape in all variants");
    auto calibrator = make_calibrator(question.effort.otherwise);
    auto ranges = question.ranges_of(*calibrator);
    return {std::move(calibrator), std::move(ranges), std::nullopt};
  }
  CalibratorMeasurement measurement = contest.report();
  measurement.seconds = stopwatch.seconds();
  return {make_calibrator(measurement.candidates.at(measurement.winner).calibrator), contest.take_ranges(),
          std::move(measurement)};
}

}  // namespace detent
