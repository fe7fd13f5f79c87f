#include "tune/equalize/even_outliers.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "core/index.h"
#include "core/stopwatch.h"
#include "exec/lean.h"
#include "ops/traits.h"
#include "run/deciding_samples.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/equalize/equalizer.h"

namespace detent {

namespace {

constexpr double kLeastSureGainDb = 0.1;
constexpr double kExponents[] = {0.5, 0.75};

using Items = std::vector<EqualizeItem>;

/// The families whose factors cost nothing when the network runs, in front of matrix products.
constexpr EqualizeFamily kFamilies[] = {EqualizeFamily::Norm, EqualizeFamily::Product, EqualizeFamily::Value};

GroupFilter in_front_of_products(const Graph& graph) {
  return [&graph](const ChannelGroup& group) {
    return std::ranges::find(kFamilies, group.family) != std::end(kFamilies) &&
           std::ranges::all_of(group.readers, [&](const Use& use) {
             const OpKind kind = traits_of(graph, graph.node(use.node)).kind;
             return kind == OpKind::MatMul || kind == OpKind::Gemm;
           });
  };
}

std::vector<size_t> first_of(std::vector<size_t> samples, size_t most) {
  if (samples.size() > most) samples.resize(most);
  return samples;
}

/// Returns the families with outlier channels.
Items families_with_outliers(const Equalizer& equalizer) {
  Items items;
  for (const EqualizeFamily family : kFamilies)
    if (equalizer.changes(family)) items.push_back({family});
  return items;
}

/// Judges lists of families on samples that they were not measured on.
class Trial {
 public:
  Trial(const Model& model, const Equalizer& equalizer, FoldScorer scorer)
      : model_(model), equalizer_(equalizer), scorer_(std::move(scorer)), plain_(measure({Items{}}).front()) {}

  /// Returns the list that gains most among those that surely gain; empty: none.
  [[nodiscard]] Items best_of(const std::vector<Items>& lists, EqualizeReport& report) const {
    const std::vector<std::vector<double>> scores = measure(lists);
    size_t best = lists.size();
    for (size_t i = 0; i < lists.size(); ++i) {
      const AcceptanceReport one = judged(scores[i]);
      const AcceptanceReport& most = report.acceptance ? *report.acceptance : one;
      if (!report.acceptance || (one.kept && (!most.kept || one.after_db > most.after_db))) report.acceptance = one;
      if (one.kept && (best == lists.size() || score_db(scores[i]) > score_db(scores[best]))) best = i;
    }
    return best == lists.size() ? Items{} : lists[best];
  }

 private:
  /// Returns [list][sample].
  [[nodiscard]] std::vector<std::vector<double>> measure(const std::vector<Items>& lists) const {
    const auto model_of = [&](size_t i) { return lists[i].empty() ? model_.clone() : equalizer_.equalized(lists[i]); };
    std::vector<std::vector<double>> samples;
    for (auto& calibrators : judge_models(scorer_, lists.size(), model_of, runs_alone(model_.graph())))
      samples.push_back(std::move(calibrators.front()));
    return samples;
  }

  [[nodiscard]] AcceptanceReport judged(const std::vector<double>& after) const {
    return accept_change(plain_, after, {.gain_db = kLeastSureGainDb});
  }

  const Model& model_;
  const Equalizer& equalizer_;
  FoldScorer scorer_;
  std::vector<double> plain_;
};

/// Writes what was chosen into the lines of the families; the others get the reason why not.
void describe(const Items& tried, const Items& kept, EqualizeReport& report) {
  const auto names = [](const EqualizeReport::Family& line) {
    return [&line](const EqualizeItem& item) { return name_of(item.family) == line.name; };
  };
  for (EqualizeReport::Family& line : report.families) {
    const auto item = std::ranges::find_if(kept, names(line));
    line.kept = item != kept.end();
    if (line.kept) line.alpha = item->alpha;
    if (!line.kept && std::ranges::any_of(tried, names(line)) && report.acceptance)
      line.reason = report.acceptance->kept ? "gains more without it" : report.acceptance->reason;
  }
  report.kept = !kept.empty();
  if (!report.kept && report.acceptance) report.reason = report.acceptance->reason;
}

Items with_alpha(Items items, double alpha) {
  for (EqualizeItem& item : items) item.alpha = alpha;
  return items;
}

}  // namespace

std::optional<EqualizedModel> even_outliers(Model& model, const EqualizeData& data, const FactorOptions& options,
                                            const FoldJudge& judge, size_t samples) {
  const Stopwatch stopwatch;
  if (data.all.size() < kFewestToJudge) return std::nullopt;
  FactorOptions uneven = options;
  uneven.least_imbalance = kOutlierImbalance;
  const SampleSplit split(data.all);
  const SampleSubset measuring(data.all, first_of(split.measuring, samples)),
      deciding(data.all, first_of(split.deciding, samples));
  EqualizedModel outcome;
  {
    const Equalizer equalizer(model, data.inputs, measuring, data.settings, uneven,
                              in_front_of_products(model.graph()));
    Items found = families_with_outliers(equalizer);
    if (found.empty()) return std::nullopt;
    EqualizeReport& report = outcome.report;
    report.requested = "outliers";
    report.families = equalizer.describe_families();
    report.samples = measuring.size();
    std::erase_if(found, [&](const EqualizeItem& item) { return equalizer.change_by({item}).has_value(); });
    if (found.empty()) return std::nullopt;
    const Trial trial(model, equalizer, judge(measuring, deciding));
    std::vector<Items> lists;
    for (const double alpha : kExponents) lists.push_back(with_alpha(found, alpha));
    Items kept = trial.best_of(lists, report);
    if (kept.empty() && found.size() > 1) {
      lists.clear();
      for (const EqualizeItem& item : found) lists.push_back({item});
      kept = trial.best_of(lists, report);
    }
    if (report.acceptance)
      report.before_db = report.acceptance->before_db, report.after_db = report.acceptance->after_db;
    describe(found, kept, report);
    outcome.equalization = equalizer.equalization(kept);
    report.values = equalizer.describe_values(outcome.equalization);
    std::ranges::copy(equalizer.notes(outcome.equalization), std::back_inserter(report.notes));
  }
  apply_equalization(model, outcome.equalization, data.inputs);
  outcome.report.seconds = stopwatch.seconds();
  return outcome;
}

}  // namespace detent
