#include "tune/keep_layers_float.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/stopwatch.h"
#include "tune/choice_sets.h"
#include "tune/rank_choices.h"

namespace detent {

namespace {

constexpr size_t kLayersAtOnce = 6;  // sets of one field: what they have in common is computed once
constexpr size_t kFruitless = 2;     // fields in a row that give nothing back before the search ends
constexpr size_t kTelling = 500;     // samples that say where to look; what is found there is measured on all

class LayerSearch {
 public:
  explicit LayerSearch(const BoundedModel& bounded)
      : bounded_(bounded), whole_(bounded.variants.plan({})),
        race_(bounded, [this](const Set& set) { return bounded_.variants.plan(names_of(set)); }) {}

  BoundedPlan find() {
    const Stopwatch stopwatch;
    BoundReport& report = result_.report;
    report.bound = bounded_.judge.bound_text();
    report.metric = bounded_.judge.metric().name;
    report.samples = bounded_.judge.samples().size();
    const BoundJudge::Score all_int8 = race_.measure({}).score;
    if (!bounded_.judge.metric().is_error()) report.fp32 = all_int8.fp32;
    report.all_int8 = all_int8.score;
    report.sqnr_db_all_int8 = all_int8.sqnr_db;
    Set found;
    report.met = bounded_.judge.meets(all_int8);
    if (!report.met) {
      ranking_ = rank_choices(bounded_.variants, bounded_.model, bounded_.judge.float_values(),
                              bounded_.judge.samples(), bounded_.settings);
      if (const std::optional<Set> enough = shortest_beginning()) {
        accept(*enough);
        give_back();
      }
      while (!accepted_.empty() && !bounded_.judge.meets(race_.confirm(accepted_.back()))) accepted_.pop_back();
      report.met = !accepted_.empty();
      found = report.met ? accepted_.back() : best_known();
    }
    explain(found);
    report.measurements = race_.measurements();
    report.seconds = stopwatch.seconds();
    return std::move(result_);
  }

 private:
  using Set = BoundRace::Set;  // positions in ranking_, ascending
  using Standing = BoundRace::Standing;

  KeptFloat names_of(const Set& kept) const {
    KeptFloat names;
    for (const size_t i : kept) names.emplace(name(i), reason(i));
    return names;
  }
  [[nodiscard]] const std::string& name(size_t i) const {
    return bounded_.variants.graph().node(ranking_[i].what.node).name;
  }

  /// Where on a line of sets the bound seems to be crossed: the first that meets it (`yes`), or does not; none where none does. Sets
  /// behind it are not measured any further.
  std::optional<size_t> first_that(bool yes, const std::vector<Set>& sets, const std::optional<Set>& base = {}) {
    const auto standings = race_.run(
        sets,
        [&](size_t i, std::span<const Standing> all) {
          if (all[i].meets || (all[i].batches > 0 && race_.samples_in(all[i].batches) >= kTelling)) return false;
          return std::ranges::none_of(all.first(i), [&](const Standing& one) { return one.meets == yes; });
        },
        base);
    const auto found = std::ranges::find(standings, yes, &Standing::seems_to_meet);
    return found == standings.end() ? std::nullopt : std::optional(static_cast<size_t>(found - standings.begin()));
  }

  /// On all samples, unless a part of them is sure that it does not.
  bool meets(const Set& set) {
    const auto not_hopeless = [](size_t i, std::span<const Standing> all) { return all[i].meets != false; };
    const Standing standing = race_.run({set}, not_hopeless).front();
    return standing.on_all && *standing.meets;
  }

  std::optional<Set> shortest_beginning() {
    const size_t limit = ranking_.empty() ? 0 : ranking_.size() - 1;  // one choice at least stays INT8
    size_t failed = 0;
    while (failed < limit) {
      std::optional<size_t> enough;
      const auto look = [&](const std::vector<size_t>& counts) {
        std::vector<Set> sets;
        for (const size_t count : counts) sets.push_back(first_choices(count));
        const auto found = first_that(true, sets);
        if (!found || *found > 0) failed = counts[(found ? *found : counts.size()) - 1];
        if (found) enough = counts[*found];
      };
      look(doubling_counts(failed, limit));
      while (enough && *enough - failed > 1) look(counts_between(failed, *enough, kLayersAtOnce));
      if (!enough) enough = limit;  // which a part of the samples may have wrong
      if (meets(first_choices(*enough))) return first_choices(*enough);
      failed = *enough;
    }
    return std::nullopt;
  }

  /// Of the sets that leave least to INT8, the all-INT8 model among them, where none meets the bound.
  Set best_known() {
    Set best;
    const size_t limit = ranking_.empty() ? 0 : ranking_.size() - 1;
    for (size_t count = limit; count > 0 && 2 * count >= limit; count = count / 2) {
      const Set set = first_choices(count);
      if (bounded_.judge.rank(race_.measure(set).score) > bounded_.judge.rank(race_.measure(best).score)) best = set;
    }
    return best;
  }

  /// What each choice saves at the output in INT8 beside the others, on as many samples as were run.
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
  /// A set that meets the bound on all samples; the last of them is the best.
  void accept(Set set) { accepted_.push_back(std::move(set)); }

  void give_back() {
    // What each of them costs beside the others, on the first part of the samples.
    const Set found = accepted_.back();
    const std::vector<Set> fewer = each_without(found, found);
    const auto once = [](size_t i, std::span<const Standing> all) { return all[i].batches == 0; };
    note_costs(found, fewer, found, race_.run(fewer, once, found));
    Set order = found;
    std::ranges::stable_sort(
        order, {}, [&](size_t i) { return std::max(cost_.at(i).noise, 0.0) / ranking_[i].price(ranking_.size()); });
    const size_t together = give_back_together(found, order);
    give_back_one_by_one(Set(order.begin() + static_cast<std::ptrdiff_t>(together), order.end()));
  }

  /// As many of the first as the bound can do without; returns how many.
  size_t give_back_together(const Set& found, const Set& order) {
    size_t together = 0, broken = order.size();
    while (broken - together > 1) {
      const std::vector<size_t> counts = together == 0 && broken == order.size()
                                             ? doubling_counts(0, broken - 1)
                                             : counts_between(together, broken, kLayersAtOnce);
      std::vector<Set> sets;
      for (const size_t count : counts) sets.push_back(without(found, std::span(order).first(count)));
      const auto first = first_that(false, sets, found);
      if (!first || *first > 0) together = counts[(first ? *first : counts.size()) - 1];
      if (first) broken = counts[*first];
    }
    for (; together > 0; --together) {
      const Set fewer = without(found, std::span(order).first(together));
      if (!meets(fewer)) continue;
      accept(fewer);
      break;
    }
    return together;
  }

  /// Whatever else can be INT8 again beside the others, the cheapest first.
  void give_back_one_by_one(Set order) {
    size_t fruitless = 0;
    while (!order.empty() && fruitless < kFruitless) {
      const Set found = accepted_.back();
      const Set some(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(std::min(kLayersAtOnce, order.size())));
      const std::vector<Set> sets = each_without(found, some);
      // Those that seem to lie a standard error below the bound are not worth all samples.
      const auto promising = [](const Standing& one) { return one.batches == 0 || one.slack >= -one.error; };
      const auto standings = race_.run(
          sets, [&](size_t i, std::span<const Standing> all) { return promising(all[i]); }, found);
      note_costs(found, sets, some, standings);
      const auto given = std::ranges::find_if(standings, [](const Standing& one) { return one.on_all && *one.meets; });
      const auto k = static_cast<size_t>(given - standings.begin());
      Set rest;
      for (size_t i = 0; i < order.size(); ++i)
        if (i >= some.size() || (i != k && given != standings.end() && standings[i].meets != false))
          rest.push_back(order[i]);
      order = std::move(rest);
      fruitless = given == standings.end() ? fruitless + 1 : 0;
      if (given != standings.end()) accept(sets[k]);
    }
  }

  /// The reason that the plan gives for a kept choice.
  [[nodiscard]] std::string reason(size_t i) const {
    const auto cost = cost_.find(i);
    const std::string bound = "; " + bounded_.judge.bound_text();
    if (cost == cost_.end())
      return fmt::format("INT8 alone leaves {:.1f} dB at the output", ranking_[i].alone_db) + bound;
    std::string text = fmt::format("INT8 costs {:.1f} dB", cost->second.db);
    const Metric& metric = bounded_.judge.metric();
    if (!metric.is_error())
      text += " and " + loss_text(metric, metric.falls() ? -cost->second.score : cost->second.score);
    if (cost->second.samples > 0) text += fmt::format(" on {} samples", cost->second.samples);
    return text + bound;
  }

  void explain(const Set& found) {
    BoundReport& report = result_.report;
    const BoundJudge::Score score = race_.confirm(found);
    report.reached = score.score;
    report.sqnr_db = score.sqnr_db;
    report.output = score.output;
    for (const size_t i : found) {
      const NodeId node = ranking_[i].what.node;
      report.kept.push_back({name(i), bounded_.variants.graph().node(node).op_type, reason(i),
                             whole_.find_layer(node) != nullptr, ranking_[i].macs_share});
    }
    result_.plan = bounded_.variants.plan(names_of(found));
    if (bounded_.judge.metric().is_error() && bounded_.judge.has_task()) add_metrics();
  }

  /// What labels, masks or tokens say of the chosen model, which the bound does not ask.
  void add_metrics() {
    std::vector<Model> models;
    models.push_back(bounded_.variants.model(result_.plan));
    BoundJudge::Score score = bounded_.judge.measure(models, "scoring").front();
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
  std::vector<Set> accepted_;
  BoundedPlan result_;
};

}  // namespace

BoundedPlan keep_layers_float(const BoundedModel& bounded) { return LayerSearch(bounded).find(); }

}  // namespace detent
