#include "tune/equalize/fold_scores.h"

#include "tune/tie_band.h"

namespace detent {

std::vector<std::vector<double>> scores_of(const FoldScores& samples) {
  std::vector<std::vector<double>> scores;
  for (const auto& calibrators : samples) {
    std::vector<double>& model = scores.emplace_back();
    for (const std::vector<double>& one : calibrators) model.push_back(score_db(one));
  }
  return scores;
}

}  // namespace detent
