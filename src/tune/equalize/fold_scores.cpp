#include "tune/equalize/fold_scores.h"

#include <algorithm>
#include <iterator>

#include "tune/tie_band.h"

namespace detent {

FoldScores judge_models(const FoldScorer& scorer, size_t count, const std::function<Model(size_t)>& make,
                        bool one_by_one) {
  FoldScores scores;
  std::vector<Model> models;
  for (size_t i = 0; i < count; ++i) {
    models.push_back(make(i));
    if (!one_by_one && i + 1 < count) continue;
    std::ranges::move(scorer(models), std::back_inserter(scores));
    models.clear();
  }
  return scores;
}

std::vector<std::vector<double>> scores_of(const FoldScores& samples) {
  std::vector<std::vector<double>> scores;
  for (const auto& calibrators : samples) {
    std::vector<double>& model = scores.emplace_back();
    for (const std::vector<double>& one : calibrators) model.push_back(score_db(one));
  }
  return scores;
}

}  // namespace detent
