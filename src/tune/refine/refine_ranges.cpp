#include "tune/refine/refine_ranges.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <span>
#include <utility>

#include "core/mean.h"
#include "core/stopwatch.h"
#include "evaluate/compared_values.h"
#include "evaluate/sample_scores.h"
#include "evaluate/trial.h"
#include "evaluate/value_errors.h"
#include "rewrite/qdq_inserter.h"
#include "rewrite/weight_memo.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/refine/noise_model.h"
#include "tune/refine/range_trials.h"

namespace detent {

namespace {

/// New ranges of some values.
using RangeChange = std::map<ValueId, Range>;

constexpr size_t kSweeps = 2;

/// Variants of one pass: each keeps a schedule over the additions of all.
constexpr size_t kAtOnce = 64;

/// Returns the plan with only the pairs of these values.
PlacementPlan only(PlacementPlan plan, const RangeChange& values) {
  plan.weights.clear();
  plan.take_pairs([&](ValueId value) { return !values.contains(value); });
  return plan;
}

/// A unit and the trial to change to.
struct Wish {
  const RangeUnit* unit;
  const TrialRange* trial;
  double gain_db;  ///< expected of this change alone
};

RangeChange change_of(const RangeUnit& unit, const Range& range) {
  RangeChange change;
  for (const ValueId member : unit.members) change[member] = range;
  return change;
}

/// Returns the mean, or infinity where no sample shows a difference.
double told_mean_db(const std::vector<double>& samples_db) {
  return std::isinf(told_score_db(samples_db)) ? told_score_db(samples_db) : mean(samples_db);
}

class Refinement {
 public:
  explicit Refinement(const RangeRefinement& question)
      : question_(question), samples_(samples_by_hash(question.source, kDecidingSamples + kMeasuringSamples)),
        names_(names()), macs_left_(question.macs) {
    result_.ranges = question.chosen.ranges;
  }

  RefinedRanges run() {
    const Stopwatch stopwatch;
    if (samples_.size() >= kFewestToRefine) {
      searched_ = std::min(kDecidingSamples, samples_.size() / 2);
      for (size_t i = 0; i < kSweeps && sweep(); ++i) {
      }
    }
    list_changes();
    if (!result_.kept) result_.reason = reason();
    result_.seconds = stopwatch.seconds();
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::string reason() const {
    if (samples_.size() < kFewestToRefine)
      return fmt::format("{} samples are fewer than {}", samples_.size(), kFewestToRefine);
    if (outputs_.empty()) return "no output can be compared";
    return wished_ == 0 ? "no other range is expected to gain" : "no gain above its standard error on held-out samples";
  }
  [[nodiscard]] std::vector<std::string> names() const {
    return values_to_compare(question_.model, SampleSubset(question_.source, samples_), question_.settings);
  }
  [[nodiscard]] SampleSubset search_samples() const {
    return {question_.source, {samples_.begin(), samples_.begin() + static_cast<std::ptrdiff_t>(searched_)}};
  }
  [[nodiscard]] SampleSubset held_out_samples() const {
    return {question_.source, {samples_.begin() + static_cast<std::ptrdiff_t>(searched_), samples_.end()}};
  }

  /// Evaluates models as they would be written: the whole plan with the current ranges and each of `changes` in turn.
  Evaluation evaluate(std::span<const RangeChange> changes, const DataSource& source) {
    ModelsSideBySide shared(question_.model);
    for (const RangeChange& change : changes) {
      RangeChange all = change;
      all.insert(result_.ranges.begin(), result_.ranges.end());  // does not replace the change
      shared.add(make_qdq_patch(question_.model.graph(), question_.plan, all, question_.format, &weights_).patch);
    }
    return evaluate_side_by_side(shared, {.reference = question_.model,
                                          .names = names_,
                                          .source = source,
                                          .settings = question_.settings,
                                          .task = "measuring ranges",
                                          .by_batch = true});
  }
  /// Evaluates float models with pairs on the values of one change, on the search samples. Empty sums where the shape
  /// of an output differs in some variant of the pass.
  [[nodiscard]] std::vector<BatchErrorSums> alone(std::span<const RangeChange> changes) const {
    const SampleSubset samples = search_samples();
    RewriteOptions format = question_.format;
    format.int32_bias = false;  // there is no INT8 layer
    std::vector<BatchErrorSums> sums;
    for (size_t first = 0; first < changes.size(); first += kAtOnce) {
      const auto pass = changes.subspan(first, std::min(kAtOnce, changes.size() - first));
      ModelsSideBySide shared(question_.model);
      for (const RangeChange& change : pass)
        shared.add(make_qdq_patch(question_.model.graph(), only(question_.plan, change), change, format).patch);
      Evaluation found = evaluate_side_by_side(shared, {.reference = question_.model,
                                                        .names = outputs_,
                                                        .source = samples,
                                                        .settings = question_.settings,
                                                        .task = "trying ranges",
                                                        .by_batch = true});
      if (found.outputs != outputs_) found.by_batch.assign(pass.size(), {});
      std::ranges::move(found.by_batch, std::back_inserter(sums));
    }
    return sums;
  }

  /// Returns true when the ranges changed.
  bool sweep() {
    const std::vector<RangeUnit> units = units_in_order();
    result_.values = std::max(result_.values, units.size());
    const Evaluation whole = evaluate(std::vector<RangeChange>(1), search_samples());
    if (outputs_.empty()) {
      outputs_ = whole.outputs;
      signals_ = whole.by_batch.front();
    }
    if (outputs_.empty() || whole.outputs != outputs_) return false;
    measure_alone(units);
    return combine(wishes(units, relative_noise(whole.by_batch.front(), signals_)));
  }

  /// Returns the units, worst SQNR first.
  [[nodiscard]] std::vector<RangeUnit> units_in_order() const {
    const Graph& graph = question_.model.graph();
    std::vector<RangeUnit> units = units_to_try(
        {graph, question_.plan, question_.calibration, question_.overrides, question_.ranges_of}, result_.ranges);
    std::map<std::string, double> errors;
    for (const LocalError& error : measure_value_errors(question_.model, question_.plan, result_.ranges,
                                                        question_.format, search_samples(), question_.settings))
      errors[error.value] = error.sqnr_db;
    std::ranges::stable_sort(units, {}, [&](const RangeUnit& unit) {
      double worst = std::numeric_limits<double>::infinity();
      for (const ValueId member : unit.members)
        if (const auto found = errors.find(graph.value(member).name); found != errors.end())
          worst = std::min(worst, found->second);
      return worst;
    });
    return units;
  }

  /// Returns the noise of a unit's pairs alone with a range; nullptr: not measured.
  [[nodiscard]] const RelativeNoise* find_noise(const RangeUnit& unit, const Range& range) const {
    const auto found = noises_.find({unit.members.front(), {range.min, range.max}});
    return found == noises_.end() || found->second.empty() ? nullptr : &found->second;
  }

  /// Measures all ranges of the units that were not measured yet, as far as the budget allows.
  void measure_alone(const std::vector<RangeUnit>& units) {
    std::vector<std::pair<ValueId, std::pair<float, float>>> keys;
    std::vector<RangeChange> changes;
    size_t reached = 0;
    for (const RangeUnit& unit : units) {
      std::vector<Range> ranges{unit.own};
      for (const TrialRange& trial : unit.trials) ranges.push_back(trial.range);
      std::erase_if(ranges, [&](const Range& range) {
        return noises_.contains({unit.members.front(), {range.min, range.max}});
      });
      macs_left_ -= static_cast<double>(unit.macs) * static_cast<double>(ranges.size() * searched_);
      if (macs_left_ < 0) break;
      ++reached;
      for (const Range& range : ranges) {
        keys.push_back({unit.members.front(), {range.min, range.max}});
        changes.push_back(change_of(unit, range));
      }
    }
    const std::vector<BatchErrorSums> found = alone(changes);
    for (size_t i = 0; i < keys.size(); ++i)
      noises_[keys[i]] = found[i].empty() ? RelativeNoise{} : relative_noise(found[i], signals_);
    result_.trials += keys.size();
    result_.tried = std::max(result_.tried, reached);
  }

  /// Returns the changes that the noise model asks for, by the gain of each alone.
  [[nodiscard]] std::vector<Wish> wishes(const std::vector<RangeUnit>& units, const RelativeNoise& whole) const {
    std::vector<const RangeUnit*> known;
    std::vector<std::vector<const TrialRange*>> trials;
    std::vector<std::vector<RelativeNoise>> noises;
    for (const RangeUnit& unit : units) {
      const RelativeNoise* own = find_noise(unit, unit.own);
      if (!own) continue;
      known.push_back(&unit);
      noises.push_back({*own});
      trials.push_back({nullptr});
      for (const TrialRange& trial : unit.trials)
        if (const RelativeNoise* noise = find_noise(unit, trial.range)) {
          noises.back().push_back(*noise);
          trials.back().push_back(&trial);
        }
    }
    const NoiseModel before(whole, std::move(noises), outputs_.size());
    NoiseModel after = before;
    after.descend();
    std::vector<Wish> wishes;
    for (size_t u = 0; u < known.size(); ++u)
      if (const size_t trial = after.chosen(u); trial != 0)
        wishes.push_back({known[u], trials[u][trial], mean(before.gains_db(u, trial))});
    std::ranges::stable_sort(wishes, std::greater<>{}, &Wish::gain_db);
    return wishes;
  }

  /// Takes the combination that is best on the held-out samples, if the search samples gain too.
  bool combine(const std::vector<Wish>& wishes) {
    wished_ += wishes.size();
    if (wishes.empty()) return false;
    std::vector<size_t> counts{0};
    for (size_t count = wishes.size(); count > 0; count /= 2) counts.push_back(count);
    std::vector<RangeChange> changes;
    for (const size_t count : counts) {
      RangeChange& together = changes.emplace_back();
      for (size_t i = 0; i < count; ++i) together.merge(change_of(*wishes[i].unit, wishes[i].trial->range));
    }
    const auto searched = sample_scores(evaluate(changes, search_samples()));
    const Evaluation evaluation = evaluate(changes, held_out_samples());
    const auto scores = sample_scores(evaluation);
    result_.samples = evaluation.samples;
    if (!result_.kept) result_.before_db = result_.after_db = told_mean_db(scores.front());
    size_t best = 0;
    for (size_t i = 1; i < scores.size(); ++i)
      if (mean(scores[i]) > mean(scores[best]) && mean(searched[i]) > mean(searched.front())) best = i;
    const AcceptanceReport judged = accept_change(scores.front(), scores[best], {.gain_db = 0.0});
    if (!judged.kept) return false;
    result_.kept = true;
    result_.after_db = told_mean_db(scores[best]);
    for (size_t i = 0; i < counts[best]; ++i) take(wishes[i]);
    return true;
  }

  void take(const Wish& wish) {
    for (const ValueId member : wish.unit->members) result_.ranges[member] = wish.trial->range;
    const auto [entry, added] = changes_.try_emplace(wish.unit->members.front());
    RefinedRanges::Change& change = entry->second;
    const std::string calibrator = question_.chosen.calibrator->name();
    if (added)
      change = {
          question_.model.graph().value(wish.unit->members.front()).name, wish.unit->own, {}, calibrator, calibrator};
    change.after = wish.trial->range;
    const std::string& origin = wish.trial->origin;
    change.to = origin.starts_with('x') ? change.to + ' ' + origin : origin;
  }

  void list_changes() {
    for (auto& [value, change] : changes_)
      if (change.before != change.after) result_.changes.push_back(std::move(change));
  }

  const RangeRefinement& question_;
  std::vector<size_t> samples_;     // those to search with, then those held out
  std::vector<std::string> names_;  // of the values to compare
  WeightMemo weights_;
  double macs_left_;
  size_t searched_ = 0, wished_ = 0;
  std::vector<std::string> outputs_;
  BatchErrorSums signals_;  // of the float model, on the search samples
  std::map<std::pair<ValueId, std::pair<float, float>>, RelativeNoise> noises_;  // by unit and range
  std::map<ValueId, RefinedRanges::Change> changes_;                             // by unit
  RefinedRanges result_;
};

}  // namespace

RefinedRanges refine_ranges(const RangeRefinement& question) { return Refinement(question).run(); }

}  // namespace detent
