#include "tune/keep_layers_float.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/process/early_end.h"
#include "core/stopwatch.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "evaluate/error_sums.h"
#include "model/model.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/float_variants.h"
#include "tune/layer_errors.h"
#include "tune/search.h"

namespace detent {

namespace {

/// A choice with the measurements of it alone.
struct RankedChoice {
  FloatChoice what;
  double macs_share = 0;  ///< share of all MACs that would be float with it
  double alone_db = 0;    ///< SQNR of the worst output where only it is INT8

  /// The price of keeping it float: its MACs, and a constant for one more float layer.
  [[nodiscard]] double price(size_t choices) const {
    return macs_share + 0.25 / static_cast<double>(std::max<size_t>(1, choices));
  }
};

/// Measures each choice alone on `count` of the samples (the smallest name hashes) and ranks them by noise at the worst
/// of the values `names` over price, largest first.
/// Errors  those of measure_layer_errors.
std::vector<RankedChoice> rank_choices(FloatVariants& variants, const Model& model,
                                       const std::vector<std::string>& names, const DataSource& source, size_t count,
                                       const RunSettings& settings) {
  const SampleSubset samples(source, samples_by_hash(source, count));
  const LayerErrors errors =
      measure_layer_errors(variants, model, names, samples, settings, nullptr, LayerVariants::Alone);
  const auto macs = static_cast<double>(std::max<int64_t>(1, variants.macs()));
  std::vector<RankedChoice> ranking;
  for (const LayerErrors::Choice& choice : errors.choices)
    ranking.push_back({choice.what, static_cast<double>(choice.what.macs) / macs, worst_sqnr_db(choice.alone)});
  std::ranges::stable_sort(ranking, std::greater(), [&](const RankedChoice& choice) {
    return std::pow(10.0, -choice.alone_db / 10) / choice.price(ranking.size());
  });
  return ranking;
}

constexpr size_t kLayersAtOnce = 6;  // sets that run side by side: their common part is computed once
constexpr size_t kFruitless = 2;     // rounds in a row that give nothing back before the search ends
constexpr size_t kWideSingle = 32;   // 16 bits cost little: of longer sets none is given back one by one

/// Does work to its end behind a time limit. An interruption leaves it undone, and the bound with it.
template <class Work>
auto in_full(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    if (!ends_early(error) || EarlyEnd::current()->reason() == EarlyEnd::Reason::Interruption) throw;
    return work();
  }
}

class LayerSearch final : SetJudge {
 public:
  explicit LayerSearch(const BoundedModel& bounded)
      : bounded_(bounded), whole_(bounded.variants.plan({})),
        race_(bounded, [this](const Set& set) { return bounded_.variants.plan(names_of(set)); }) {}

  BoundedPlan find() {
    const Stopwatch stopwatch;
    BoundReport& report = result_.report;
    report.bound = bounded_.judge.bound_text();
    report.metric = bounded_.judge.metric().name;
    report.codes = bounded_.variants.codes();
    report.wide = bounded_.variants.widens();
    report.samples = bounded_.judge.scored();
    const BoundJudge::Score all_int8 = in_full([&] { return race_.measure({}).score; });
    if (!bounded_.judge.metric().is_error()) report.fp32 = all_int8.fp32;
    report.all_int8 = all_int8.score;
    report.sqnr_db_all_int8 = all_int8.sqnr_db;
    Set found;
    report.met = bounded_.judge.meets(all_int8);
    if (!report.met && !is_ending_early()) {
      std::vector<Set> accepted = search();
      while (!accepted.empty() && !bounded_.judge.meets(confirmed(accepted.back()))) accepted.pop_back();
      report.met = !accepted.empty();
      found = report.met ? accepted.back() : best_in_time();
    }
    explain(found);
    report.score = in_full([&] { return race_.describe(found); });
    if (judges_texts()) {  // scores on the same clips
      report.all_int8 += *report.score.fp32 - *report.fp32;
      report.fp32 = report.score.fp32, report.samples = report.score.samples;
    }
    conclude(report, bounded_.judge);
    report.measurements = race_.measurements();
    report.seconds = stopwatch.seconds();
    return std::move(result_);
  }

 private:
  using Set = ChoiceSet;  // positions in ranking_
  using Standing = BoundRace::Standing;

  /// Returns the sets that meet the bound, each smaller than the one before; those found so far where the work ends
  /// early.
  std::vector<Set> search() {
    try {
      ranking_ =
          rank_choices(bounded_.variants, bounded_.model, bounded_.judge.float_values(), bounded_.judge.samples(),
                       judges_texts() ? kFewestToJudge : kJudgedSamples, bounded_.settings);
    } catch (const Error& error) {
      if (!ends_early(error)) throw;
      return {};
    }
    // The words that one layer costs are fewer than chance makes.
    const size_t most_single = judges_texts() ? 0 : result_.report.wide ? kWideSingle : ranking_.size();
    return search_sets(*this, {.most = most(),
                               .at_once = judges_texts() ? 1 : kLayersAtOnce,
                               .together = true,
                               .most_single = most_single,
                               .fruitless = kFruitless});
  }

  [[nodiscard]] bool judges_texts() const { return bounded_.judge.texts() != nullptr; }

  BoundJudge::Score confirmed(const Set& set) {
    return in_full([&] { return race_.confirm(set); });
  }

  /// Returns best_known(); no choice where the work ends early.
  Set best_in_time() {
    try {
      if (!is_ending_early()) return best_known();
    } catch (const Error& error) {
      if (!ends_early(error)) throw;
    }
    return {};
  }

  KeptFloat names_of(const Set& kept) const {
    KeptFloat names;
    for (const size_t i : kept) names.emplace(name(i), reason(i));
    return names;
  }
  [[nodiscard]] const std::string& name(size_t i) const {
    return bounded_.variants.graph().node(ranking_[i].what.node).name;
  }

  /// Finds where a sequence of sets seems to cross the bound. Sets behind the crossing are not measured any further.
  std::optional<size_t> first_that(bool yes, const std::vector<Set>& sets, const std::optional<Set>& base) override {
    const auto standings = race_.run(
        sets,
        [&](size_t i, std::span<const Standing> all) {
          if (all[i].meets || (all[i].batches > 0 && race_.samples_in(all[i].batches) >= kTellingSamples)) return false;
          return std::ranges::none_of(all.first(i), [&](const Standing& one) { return one.meets == yes; });
        },
        base);
    const auto found = std::ranges::find(standings, yes, &Standing::seems_to_meet);
    return found == standings.end() ? std::nullopt : std::optional(static_cast<size_t>(found - standings.begin()));
  }

  /// Measures on all samples, unless a part of them shows that the set misses the bound.
  bool meets(const Set& set) override {
    const auto not_hopeless = [](size_t i, std::span<const Standing> all) { return all[i].meets != false; };
    const Standing standing = race_.run({set}, not_hopeless).front();
    return standing.decided && *standing.meets;
  }

  /// At least one choice stays INT8.
  [[nodiscard]] size_t most() const { return ranking_.empty() ? 0 : ranking_.size() - 1; }

  /// Returns the best of the longest sets and the all-INT8 model, for a bound that no set meets.
  Set best_known() {
    Set best;
    const size_t limit = most();
    for (size_t count = limit; count > 0 && 2 * count >= limit; count = count / 2) {
      const Set set = first_choices(count);
      if (bounded_.judge.rank(race_.measure(set).score) > bounded_.judge.rank(race_.measure(best).score)) best = set;
    }
    return best;
  }

  /// Notes what each choice costs at the output in INT8 beside the others, on the samples that were run.
  void note_costs(const Set& kept, const std::vector<Set>& fewer, std::span<const size_t> choices,
                  std::span<const Standing> standings) {
    for (size_t k = 0; k < fewer.size(); ++k) {
      const BoundJudge::Score with = race_.score_on(kept, standings[k].batches);
      const BoundJudge::Score& without = standings[k].score;
      cost_[choices[k]] = {with.sqnr_db - without.sqnr_db, with.score - without.score,
                           std::pow(10.0, -without.sqnr_db / 10) - std::pow(10.0, -with.sqnr_db / 10),
                           standings[k].on_all ? 0 : race_.samples_in(standings[k].batches)};
    }
  }

  /// Orders by cost beside the others, on the first part of the samples.
  ChoiceSet order_of(const ChoiceSet& found) override {
    if (judges_texts()) return {found.rbegin(), found.rend()};  // those that help least for their price
    const std::vector<ChoiceSet> fewer = each_without(found, found);
    const auto once = [](size_t i, std::span<const Standing> all) { return all[i].batches == 0; };
    note_costs(found, fewer, found, race_.run(fewer, once, found));
    ChoiceSet order = found;
    std::ranges::stable_sort(
        order, {}, [&](size_t i) { return std::max(cost_.at(i).noise, 0.0) / ranking_[i].price(ranking_.size()); });
    return order;
  }

  std::vector<std::optional<bool>> meets_without(const ChoiceSet& found, const ChoiceSet& choices) override {
    const std::vector<ChoiceSet> sets = each_without(found, choices);
    // Sets more than a standard error below the bound are not worth running on all samples.
    const auto promising = [](size_t i, std::span<const Standing> all) {
      return all[i].batches == 0 || all[i].slack >= -all[i].error;
    };
    const auto standings = race_.run(sets, promising, found);
    note_costs(found, sets, choices, standings);
    std::vector<std::optional<bool>> answers;  // only all samples show that a set meets the bound
    for (const Standing& one : standings)
      answers.push_back(one.meets == true && !one.on_all ? std::nullopt : one.meets);
    return answers;
  }

  /// The reason in the plan for a kept choice.
  [[nodiscard]] std::string reason(size_t i) const {
    const auto cost = cost_.find(i);
    const std::string bound = "; " + bounded_.judge.bound_text();
    if (cost == cost_.end())
      return fmt::format("{} alone leaves {:.1f} dB at the output", bounded_.variants.codes(), ranking_[i].alone_db) +
             bound;
    std::string text = fmt::format("{} costs {:.1f} dB", bounded_.variants.codes(), cost->second.db);
    const Metric& metric = bounded_.judge.metric();
    if (!metric.is_error())
      text += " and " + loss_text(metric, metric.falls() ? -cost->second.score : cost->second.score);
    if (cost->second.samples > 0) text += fmt::format(" on {} samples", cost->second.samples);
    return text + bound;
  }

  void explain(const Set& found) {
    BoundReport& report = result_.report;
    const BoundJudge::Score score = confirmed(found);
    report.reached = score.score;
    report.sqnr_db = score.sqnr_db;
    report.output = score.output;
    for (const size_t i : found) {
      const NodeId node = ranking_[i].what.node;
      report.kept.push_back({name(i), bounded_.variants.graph().node(node).op_type, reason(i),
                             whole_.find_layer(node) != nullptr, ranking_[i].macs_share});
    }
    result_.kept = names_of(found);
    result_.plan = bounded_.variants.plan(result_.kept);
    if (bounded_.judge.metric().is_error() && bounded_.judge.has_task()) add_metrics();
  }

  /// Adds the metrics of labels, masks or tokens that the bound is not about.
  void add_metrics() {
    std::vector<Model> models;
    models.push_back(bounded_.variants.model(result_.plan));
    BoundJudge::Score score = in_full([&] { return bounded_.judge.measure(models, "scoring").front(); });
    result_.report.metrics = std::move(score.metrics);
    result_.report.fp32_metrics = std::move(score.fp32_metrics);
  }

  struct Cost {
    double db = 0, score = 0;
    double noise = 0;    // at the output, of a signal of 1
    size_t samples = 0;  // that it was measured on; 0: all
  };

  BoundedModel bounded_;
  PlacementPlan whole_;
  std::vector<RankedChoice> ranking_;
  std::map<size_t, Cost> cost_;
  BoundRace race_;
  BoundedPlan result_;
};

}  // namespace

BoundedPlan keep_layers_float(const BoundedModel& bounded) { return LayerSearch(bounded).find(); }

}  // namespace detent
