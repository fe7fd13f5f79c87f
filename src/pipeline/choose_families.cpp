#include "pipeline/choose_families.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace detent {

namespace {

const std::vector<double> kAlphas{0.5, 0.75, 1.0};
constexpr double kLeastGainDb = 0.1, kMayFallDb = 0.1;

using Scores = std::vector<double>;  // by calibrator

double mean(const Scores& scores) {
  return scores.empty() ? 0 : std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
}

double worst_change(const Scores& before, const Scores& after) {
  double worst = 0;
  for (size_t i = 0; i < before.size(); ++i) worst = std::min(worst, after[i] - before[i]);
  return worst;
}

class Selection {
 public:
  Selection(const EqualizeScores& scores_of, EqualizeReport& report) : scores_of_(scores_of), report_(report) {}

  std::vector<EqualizeItem> choose() {
    std::vector<size_t> rest;
    for (size_t f = 0; f < report_.families.size(); ++f)
      if (report_.families[f].groups > 0) rest.push_back(f);
    while (!rest.empty()) {
      std::optional<Step> best;
      for (const size_t family : rest)
        if (Step step = try_family(family); step.acceptable && (!best || mean(step.scores) > mean(best->scores)))
          best = std::move(step);
      if (!best) break;
      keep(*best);
      std::erase(rest, best->family);
    }
    if (!plain_.empty()) report_.sqnr_after_db = mean(scores_);
    std::ranges::sort(kept_, {}, [](const EqualizeItem& item) {
      return std::ranges::find(kEqualizeFamilies, item.family) - std::begin(kEqualizeFamilies);
    });
    return kept_;
  }

 private:
  struct Step {
    size_t family = 0;
    double alpha = 0.5;
    Scores scores;
    bool acceptable = false;
  };

  /// The family with its best alpha: the best of those that are acceptable, where there are any. Later rounds try it alone.
  Step try_family(size_t family) {
    std::vector<std::vector<EqualizeItem>> lists;
    if (plain_.empty()) lists.emplace_back();
    EqualizeReport::Family& line = report_.families[family];
    const std::vector<double> alphas = line.gain_db ? std::vector{line.alpha} : kAlphas;
    for (const double alpha : alphas) {
      lists.push_back(kept_);
      lists.back().push_back({kEqualizeFamilies[family], alpha});
    }
    std::vector<Scores> judged = scores_of_(lists);
    if (plain_.empty()) {
      plain_ = scores_ = judged.front();
      report_.sqnr_before_db = mean(plain_);
      judged.erase(judged.begin());
    }
    Step best;
    for (size_t i = 0; i < judged.size(); ++i) {
      const double gain = mean(judged[i]) - mean(scores_);
      const bool acceptable = gain >= kLeastGainDb && worst_change(plain_, judged[i]) >= -kMayFallDb;
      const bool better = i == 0 || acceptable > best.acceptable ||
                          (acceptable == best.acceptable && mean(judged[i]) > mean(best.scores));
      if (better) best = {family, alphas[i], std::move(judged[i]), acceptable};
    }
    line.alpha = best.alpha;
    line.gain_db = mean(best.scores) - mean(scores_);
    return best;
  }

  void keep(const Step& step) {
    EqualizeReport::Family& line = report_.families[step.family];
    line.kept = true;
    kept_.push_back({kEqualizeFamilies[step.family], step.alpha});
    scores_ = step.scores;
  }

  const EqualizeScores& scores_of_;
  EqualizeReport& report_;
  std::vector<EqualizeItem> kept_;
  Scores plain_, scores_;  // without equalization, and with what is kept
};

}  // namespace

std::vector<EqualizeItem> choose_families(const EqualizeScores& scores_of, EqualizeReport& report) {
  return Selection(scores_of, report).choose();
}

}  // namespace detent
