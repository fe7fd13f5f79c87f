#include "pipeline/keep_layers_float.h"

#include <algorithm>
#include <cmath>

#include "pipeline/layer_errors.h"
#include "pipeline/measure_calibrators.h"
#include "pipeline/sample_subset.h"
#include "pipeline/stopwatch.h"
#include "report/format.h"

namespace detent {

namespace {

constexpr size_t kRankingSamples = 64;
constexpr size_t kAtOnce = 3;  // variants a pass: the float model and reading are paid once for them

/// A choice, and the share of all MACs that would be float with it.
struct Ranked {
  FloatChoice what;
  double macs_share = 0;
  double alone_db = 0;
};

class Search {
 public:
  Search(FloatVariants& variants, const Model& model, const BoundJudge& judge, const RunSettings& settings)
      : variants_(variants), model_(model), judge_(judge), settings_(settings), whole_(variants.plan({})) {}

  BoundedPlan run() {
    const Stopwatch stopwatch;
    BoundReport& report = result_.report;
    report.bound = judge_.bound_text();
    report.metric = judge_.metric();
    report.samples = judge_.samples().size();
    const Tried all_int8 = measure({{}}).front();
    if (report.metric != "sqnr_db") report.fp32 = all_int8.score.fp32;
    report.all_int8 = all_int8.score.score;
    report.sqnr_db_all_int8 = all_int8.score.sqnr_db;
    Tried found = all_int8;
    if (!judge_.meets(all_int8.score)) {
      rank();
      found = shortest_beginning();
      report.met = judge_.meets(found.score);
      if (report.met) give_back(found);
    } else {
      report.met = true;
    }
    explain(found);
    report.seconds = stopwatch.seconds();
    return std::move(result_);
  }

 private:
  using Set = std::vector<size_t>;  // positions in ranking_, ascending
  struct Tried {
    Set kept;
    BoundJudge::Score score;
  };

  KeptFloat names_of(const Set& kept) const {
    KeptFloat names;
    for (const size_t i : kept) names.emplace(name(i), reason(i));
    return names;
  }
  [[nodiscard]] const std::string& name(size_t i) const { return variants_.graph().node(ranking_[i].what.node).name; }

  std::vector<Tried> measure(const std::vector<Set>& sets) {
    std::vector<PlacementPlan> plans;
    for (const Set& set : sets) plans.push_back(variants_.plan(names_of(set)));
    variants_.ranges().measure_for(plans);
    std::vector<Model> models;
    for (const PlacementPlan& plan : plans) models.push_back(variants_.model(plan));
    const size_t count = result_.report.measurements += sets.size();
    const auto scores = judge_.measure(models, "measuring " + judge_.metric() + " (" + std::to_string(count) + ")");
    std::vector<Tried> tried;
    for (size_t i = 0; i < sets.size(); ++i) {
      tried.push_back({sets[i], scores[i]});
      if (measured_.empty() || BoundJudge::rank(scores[i]) > BoundJudge::rank(measured_.front().score))
        measured_.insert(measured_.begin(), tried.back());
    }
    return tried;
  }

  void rank() {
    const SampleSubset samples(judge_.samples(), samples_by_hash(judge_.samples(), kRankingSamples));
    const LayerErrors errors =
        measure_layer_errors(variants_, model_, judge_.float_values(), samples, settings_);
    const auto macs = static_cast<double>(std::max<int64_t>(1, whole_.coverage.macs));
    for (const LayerErrors::Choice& choice : errors.choices)
      ranking_.push_back({choice.what, static_cast<double>(choice.what.macs) / macs, mean_sqnr_db(choice.alone)});
    // A layer costs its MACs, and something for being one more.
    const double each = 0.25 / static_cast<double>(std::max<size_t>(1, ranking_.size()));
    std::ranges::stable_sort(ranking_, std::greater(), [&](const Ranked& choice) {
      return std::pow(10.0, -choice.alone_db / 10) / (choice.macs_share + each);
    });
  }

  static Set beginning(size_t count) {
    Set set(count);
    for (size_t i = 0; i < count; ++i) set[i] = i;
    return set;
  }

  /// The best that was measured when none is enough.
  Tried shortest_beginning() {
    const size_t limit = ranking_.empty() ? 0 : ranking_.size() - 1;  // one choice at least stays INT8
    size_t failed = 0;
    std::optional<Tried> enough;
    const auto look = [&](const std::vector<size_t>& counts) {
      std::vector<Set> sets;
      for (const size_t count : counts) sets.push_back(beginning(count));
      for (Tried& tried : measure(sets)) {
        if (!judge_.meets(tried.score)) {
          failed = tried.kept.size();
          continue;
        }
        enough = std::move(tried);
        return;
      }
    };
    while (!enough && failed < limit) {
      std::vector<size_t> counts;
      size_t count = std::max<size_t>(1, 2 * failed);
      for (; counts.size() < kAtOnce && count < limit; count *= 2) counts.push_back(count);
      if (counts.size() < kAtOnce) counts.push_back(limit);
      look(counts);
    }
    if (!enough) return measured_.front();
    while (enough->kept.size() - failed > 1) {
      const size_t low = failed, high = enough->kept.size();
      std::vector<size_t> counts;
      for (size_t k = 1; k <= kAtOnce; ++k) {
        const size_t count = low + (high - low) * k / (kAtOnce + 1);
        if (count > low && count < high && (counts.empty() || counts.back() < count)) counts.push_back(count);
      }
      if (counts.empty()) counts.push_back(low + 1);
      look(counts);
    }
    return *enough;
  }

  void give_back(Tried& found) {
    Set order = found.kept;
    std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return ranking_[i].macs_share; });
    for (const size_t candidate : order) {
      Set fewer = found.kept;
      std::erase(fewer, candidate);
      Tried without = measure({fewer}).front();
      if (judge_.meets(without.score)) {
        found = std::move(without);
        continue;
      }
      cost_[candidate] = {found.score.sqnr_db - without.score.sqnr_db, found.score.score - without.score.score};
    }
  }

  /// What the plan says of a kept choice.
  [[nodiscard]] std::string reason(size_t i) const {
    const auto cost = cost_.find(i);
    const std::string bound = "; " + judge_.bound_text();
    if (cost == cost_.end())
      return format("INT8 alone leaves %.1f dB at the output", ranking_[i].alone_db) + bound;
    std::string text = format("INT8 costs %.1f dB", cost->second.db);
    if (judge_.metric() == "metric") text += format(" and %.4g of the metric", cost->second.score);
    if (judge_.metric() == "top1") text += format(" and %.2f points of top-1", 100 * cost->second.score);
    if (judge_.metric() == "miou") text += format(" and %.2f points of mIoU", 100 * cost->second.score);
    return text + bound;
  }

  void explain(const Tried& found) {
    BoundReport& report = result_.report;
    report.reached = found.score.score;
    report.sqnr_db = found.score.sqnr_db;
    for (const size_t i : found.kept) {
      const NodeId node = ranking_[i].what.node;
      report.kept.push_back({name(i), variants_.graph().node(node).op_type, reason(i),
                             whole_.find_layer(node) != nullptr, ranking_[i].macs_share});
    }
    result_.plan = variants_.plan(names_of(found.kept));
  }

  struct Cost {
    double db = 0, score = 0;
  };

  FloatVariants& variants_;
  const Model& model_;
  const BoundJudge& judge_;
  const RunSettings& settings_;
  PlacementPlan whole_;
  std::vector<Ranked> ranking_;
  std::map<size_t, Cost> cost_;
  std::vector<Tried> measured_;  // the best first
  BoundedPlan result_;
};

}  // namespace

BoundedPlan keep_layers_float(FloatVariants& variants, const Model& model, const BoundJudge& judge,
                              const RunSettings& settings) {
  return Search(variants, model, judge, settings).run();
}

}  // namespace detent
