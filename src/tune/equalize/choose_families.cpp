#include "tune/equalize/choose_families.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/mean.h"
#include "core/text.h"

namespace detent {

namespace {

const std::vector<double> kAlphas{0.5, 0.75, 1.0};
constexpr double kLeastFamilyGainDb = 0.1, kMayFallDb = 0.1;

double mean_of_parts(const PartScores& scores) {
  std::vector<double> parts;
  for (const std::vector<double>& part : scores) parts.push_back(mean(part));
  return mean(parts);
}

/// Returns the mean gain less its standard error over the parts (0 for one part).
double sure_gain(const PartScores& before, const PartScores& after) {
  std::vector<double> gains;
  for (size_t p = 0; p < before.size(); ++p) gains.push_back(mean(after[p]) - mean(before[p]));
  return mean(gains) - standard_error(gains);
}

/// Returns the mean change over the parts of the calibrator that loses most; 0 when none loses.
double worst_change(const PartScores& before, const PartScores& after) {
  double worst = 0;
  for (size_t c = 0; !before.empty() && c < before.front().size(); ++c) {
    double change = 0;
    for (size_t p = 0; p < before.size(); ++p) change += after[p][c] - before[p][c];
    worst = std::min(worst, change / static_cast<double>(before.size()));
  }
  return worst;
}

class Selection {
 public:
  Selection(const EqualizeScores& scores_of, EqualizeReport& report) : scores_of_(scores_of), report_(report) {}

  std::vector<EqualizeItem> choose() {
    std::vector<size_t> rest;
    for (size_t f = 0; f < report_.families.size(); ++f)
      if (report_.families[f].groups > 0 && report_.families[f].reason.empty()) rest.push_back(f);
    while (!rest.empty()) {
      std::optional<Step> best;
      for (const size_t family : rest)
        if (Step step = try_family(family); step.acceptable && (!best || step.gain > best->gain))
          best = std::move(step);
      if (!best) break;
      keep(*best);
      std::erase(rest, best->family);
    }
    if (!plain_.empty()) report_.after_db = mean_of_parts(scores_);
    std::ranges::sort(kept_, {}, [](const EqualizeItem& item) {
      return std::ranges::find(kEqualizeFamilies, item.family) - std::begin(kEqualizeFamilies);
    });
    return kept_;
  }

 private:
  struct Step {
    size_t family = 0;
    double alpha = 0.5;
    PartScores scores = {};
    double gain = 0;  // sure_gain
    bool acceptable = false;
  };

  /// Tries the family with each alpha, in later rounds with its best one, and returns the best acceptable step, if any.
  Step try_family(size_t family) {
    if (plain_.empty()) {
      for (size_t part = 0; part < scores_of_.parts; ++part)
        plain_.push_back(scores_of_.on_part(std::vector<std::vector<EqualizeItem>>(1), part).front());
      scores_ = plain_;
      report_.before_db = mean_of_parts(plain_);
    }
    EqualizeReport::Family& line = report_.families[family];
    std::vector<Step> steps;
    for (const double alpha : line.gain_db ? std::vector{line.alpha} : kAlphas) steps.push_back({family, alpha});
    judge(steps);
    std::erase_if(steps, [&](const Step& step) { return step.scores.size() < scores_of_.parts; });
    const auto worse = [](const Step& a, const Step& b) {
      return a.acceptable != b.acceptable ? b.acceptable : a.gain < b.gain;
    };
    Step best = std::move(*std::ranges::max_element(steps, worse));
    line.alpha = best.alpha;
    line.gain_db = mean_of_parts(best.scores) - mean_of_parts(scores_);
    line.reason = best.acceptable ? "" : reason_against(best);
    return best;
  }

  /// Judges on all parts; skips the rest for steps that cannot become the best.
  void judge(std::vector<Step>& steps) const {
    std::vector<Step*> rest;
    for (Step& step : steps) rest.push_back(&step);
    judge_on(0, rest);
    if (scores_of_.parts == 2 && rest.size() > 1) {
      const auto on_first = [&](const Step* step) { return mean(step->scores[0]) - mean(scores_[0]); };
      const auto first = std::ranges::max_element(rest, {}, on_first);
      Step& best = **first;
      rest.erase(first);
      judge_on(1, {&best});
      std::erase_if(rest, [&](const Step* step) {
        const double most = on_first(step);  // the sure gain of two parts is the smaller of the two
        return most < best.gain && (best.acceptable || most < kLeastFamilyGainDb);
      });
    }
    for (size_t part = 1; part < scores_of_.parts; ++part) judge_on(part, rest);
  }

  void judge_on(size_t part, const std::vector<Step*>& steps) const {
    if (steps.empty()) return;
    std::vector<std::vector<EqualizeItem>> lists;
    for (const Step* step : steps) {
      lists.push_back(kept_);
      lists.back().push_back({kEqualizeFamilies[step->family], step->alpha});
    }
    std::vector<std::vector<double>> judged = scores_of_.on_part(lists, part);
    for (size_t i = 0; i < steps.size(); ++i) {
      Step& step = *steps[i];
      step.scores.push_back(std::move(judged[i]));
      if (step.scores.size() < scores_of_.parts) continue;
      step.gain = sure_gain(scores_, step.scores);
      step.acceptable = step.gain >= kLeastFamilyGainDb && worst_change(plain_, step.scores) >= -kMayFallDb;
    }
  }

  /// Returns the first reason why a step is not acceptable.
  [[nodiscard]] std::string reason_against(const Step& step) const {
    if (mean_of_parts(step.scores) - mean_of_parts(scores_) < kLeastFamilyGainDb)
      return fmt::format("gains less than {:g} dB", kLeastFamilyGainDb);
    if (step.gain < kLeastFamilyGainDb) {
      std::vector<std::string> parts;
      for (size_t p = 0; p < scores_.size(); ++p)
        parts.push_back(fmt::format("{:+.2f}", mean(step.scores[p]) - mean(scores_[p])));
      return "not sure: " + join(parts) + " dB on parts of the samples";
    }
    const size_t calibrators = plain_.front().size();
    return (calibrators > 1 ? fmt::format("one of {} calibrators ends", calibrators) : std::string("ends")) +
           fmt::format(" {:.2f} dB below no equalization", -worst_change(plain_, step.scores));
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
  PartScores plain_, scores_;  // without equalization, and with the families kept
};

}  // namespace

std::vector<EqualizeItem> choose_families(const EqualizeScores& scores_of, EqualizeReport& report) {
  return Selection(scores_of, report).choose();
}

}  // namespace detent
