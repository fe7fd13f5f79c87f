#include "tune/keep_layers_float.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "core/stopwatch.h"
#include "evaluate/error_sums.h"
#include "exec/runnable_part.h"
#include "run/sample_subset.h"
#include "tune/layer_errors.h"

namespace detent {

namespace {

constexpr size_t kRankingSamples = 64;
constexpr size_t kAtOnce = 6;  // variants a pass: the float model and reading are paid once for them

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

  BoundedPlan find() {
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

  /// Each set is run once.
  std::vector<Tried> measure(const std::vector<Set>& sets) {
    std::vector<Set> fresh;
    std::ranges::copy_if(sets, std::back_inserter(fresh), [&](const Set& set) { return !scores_.contains(set); });
    run(fresh);
    std::vector<Tried> tried;
    for (const Set& set : sets) tried.push_back({set, scores_.at(set)});
    return tried;
  }

  void run(const std::vector<Set>& sets) {
    if (sets.empty()) return;
    std::vector<PlacementPlan> plans;
    for (const Set& set : sets) plans.push_back(variants_.plan(names_of(set)));
    variants_.measure_for(plans);
    std::vector<Model> models;
    for (const PlacementPlan& plan : plans) models.push_back(variants_.model(plan));
    const size_t before = std::exchange(result_.report.measurements, result_.report.measurements + sets.size());
    std::string task = "measuring " + judge_.metric() + " (" + std::to_string(before + 1);
    if (sets.size() > 1) task += "-" + std::to_string(before + sets.size());
    const auto scores = judge_.measure(models, task + ")");
    for (size_t i = 0; i < sets.size(); ++i) {
      scores_.emplace(sets[i], scores[i]);
      if (!best_ || judge_.rank(scores[i]) > judge_.rank(best_->score)) best_ = {sets[i], scores[i]};
    }
  }

  void rank() {
    const SampleSubset samples(judge_.samples(), samples_by_hash(judge_.samples(), kRankingSamples));
    const LayerErrors errors = measure_layer_errors(variants_, model_, judge_.float_values(), samples, settings_);
    const auto macs = static_cast<double>(std::max<int64_t>(1, variants_.macs()));
    for (const LayerErrors::Choice& choice : errors.choices)
      ranking_.push_back({choice.what, static_cast<double>(choice.what.macs) / macs, worst_sqnr_db(choice.alone)});
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

  /// When none is enough: the best that was measured.
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
    if (!enough) return *best_;
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

  static Set without(const Set& kept, std::span<const size_t> left_out) {
    Set rest = kept;
    std::erase_if(rest, [&](size_t i) { return std::ranges::find(left_out, i) != left_out.end(); });
    return rest;
  }

  /// `without` differs from `with` in that the choice is INT8.
  void note_cost(size_t choice, const Tried& with, const Tried& without) {
    cost_[choice] = {with.score.sqnr_db - without.score.sqnr_db, with.score.score - without.score.score};
  }

  /// The kept choices that can be INT8 again one by one, the largest first; what the others cost is noted.
  Set spare_ones(const Tried& found) {
    Set order = found.kept, spare;
    std::ranges::stable_sort(order, std::greater(), [&](size_t i) { return ranking_[i].macs_share; });
    for (size_t begin = 0; begin < order.size(); begin += kAtOnce) {
      const auto some = std::span(order).subspan(begin, std::min(kAtOnce, order.size() - begin));
      std::vector<Set> sets;
      for (const size_t& candidate : some) sets.push_back(without(found.kept, {&candidate, 1}));
      const std::vector<Tried> tried = measure(sets);
      for (size_t i = 0; i < some.size(); ++i) {
        note_cost(some[i], found, tried[i]);
        if (judge_.meets(tried[i].score)) spare.push_back(some[i]);
      }
    }
    return spare;
  }

  /// As many of the spare ones as go together, the largest first.
  void give_back(Tried& found) {
    Set spare = spare_ones(found);
    while (!spare.empty()) {
      std::vector<Set> sets;
      for (size_t count = 1; count <= std::min(kAtOnce, spare.size()); ++count)
        sets.push_back(without(found.kept, std::span(spare).first(count)));
      std::vector<Tried> tried = measure(sets);
      size_t together = 0;
      while (together < tried.size() && judge_.meets(tried[together].score)) ++together;
      if (together > 0) found = std::move(tried[together - 1]);
      const bool one_is_too_much = together < tried.size();
      if (one_is_too_much) note_cost(spare[together], found, tried[together]);
      spare.erase(spare.begin(), spare.begin() + static_cast<std::ptrdiff_t>(together + one_is_too_much));
    }
  }

  /// The reason that the plan gives for a kept choice.
  [[nodiscard]] std::string reason(size_t i) const {
    const auto cost = cost_.find(i);
    const std::string bound = "; " + judge_.bound_text();
    if (cost == cost_.end())
      return fmt::format("INT8 alone leaves {:.1f} dB at the output", ranking_[i].alone_db) + bound;
    std::string text = fmt::format("INT8 costs {:.1f} dB", cost->second.db);
    if (judge_.metric() == "metric") text += fmt::format(" and {:.4g} of the metric", cost->second.score);
    if (judge_.metric() == "nats") text += fmt::format(" and {:.4f} nats a token", -cost->second.score);
    if (judge_.metric() == "top1") text += fmt::format(" and {:.2f} points of top-1", 100 * cost->second.score);
    if (judge_.metric() == "miou") text += fmt::format(" and {:.2f} points of mIoU", 100 * cost->second.score);
    return text + bound;
  }

  void explain(const Tried& found) {
    BoundReport& report = result_.report;
    report.reached = found.score.score;
    report.sqnr_db = found.score.sqnr_db;
    report.output = found.score.output;
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
  std::map<Set, BoundJudge::Score> scores_;  // of what was measured
  std::optional<Tried> best_;
  BoundedPlan result_;
};

}  // namespace

BoundedPlan keep_layers_float(FloatVariants& variants, const Model& model, const BoundJudge& judge,
                              const RunSettings& settings) {
  return Search(variants, model, judge, settings).find();
}

}  // namespace detent
