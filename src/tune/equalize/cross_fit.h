#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "equalize/choose_factors.h"
#include "model/model.h"
#include "run/sample_subset.h"
#include "tune/equalize/equalizer.h"
#include "tune/equalize/fold_judge.h"
#include "tune/equalize/request.h"

namespace detent {

/// Judges equalizations on samples that neither the factors nor the ranges come from: each part of the data is judged
/// by the factors and ranges of the others. Uses up to 128 samples, those with the smallest name hashes and those that
/// the data names: two parts from 32 samples on, else up to three. A single sample judges itself.
class CrossFit {
 public:
  /// Measures the channels on each fold. Its arguments must outlive it.
  CrossFit(const Model& model, const EqualizeData& data, const FactorOptions& options, const FoldJudge& judge);

  [[nodiscard]] size_t parts() const { return folds_.size(); }
  /// Returns [list][calibrator] on one part; an empty list is the plain model.
  [[nodiscard]] std::vector<std::vector<double>> on_part(std::span<const std::vector<EqualizeItem>> lists,
                                                         size_t part) const;

 private:
  struct Fold {
    SampleSubset fit, held_out;
    std::vector<Tensor> inputs;          ///< of the first batch of `fit`
    std::optional<Equalizer> equalizer;  ///< checked on `inputs`
    FoldScorer scorer;
  };

  const Model& model_;
  std::vector<std::unique_ptr<Fold>> folds_;
};

}  // namespace detent
