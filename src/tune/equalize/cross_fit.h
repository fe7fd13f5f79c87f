#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "equalize/choose_factors.h"
#include "model/model.h"
#include "run/sample_subset.h"
#include "tune/equalize/equalize_data.h"
#include "tune/equalize/equalizer.h"
#include "tune/equalize/fold_scores.h"
#include "tune/equalize/request.h"

namespace detent {

/// Judges equalizations on samples that neither their factors nor the ranges come from: data in parts, each judged by
/// what the others say. Factors cut to the samples that are judged would flatter even channels, all of which come near
/// their largest; and one part alone may hold none of the images that go beyond it: on cifar10_resnet18 the two halves
/// of 100 images say -3.1 and +0.5 dB of the same equalization, and 2000 other images -2.2 dB.
///
/// Up to 128 samples, those whose names have the smallest hash and those that the data names: in halves from 32 on,
/// else in up to three parts. A single sample judges itself.
class CrossFit {
 public:
  /// Measures the channels on each fold. What it looks at must outlive it.
  CrossFit(const Model& model, const EqualizeData& data, const FactorOptions& options, const FoldJudge& judge);

  [[nodiscard]] size_t parts() const { return folds_.size(); }
  /// [list][calibrator] on one part; an empty list is the plain model.
  [[nodiscard]] std::vector<std::vector<double>> on_part(std::span<const std::vector<EqualizeItem>> lists,
                                                         size_t part) const;
  /// On every part, by list.
  [[nodiscard]] std::vector<PartScores> operator()(std::span<const std::vector<EqualizeItem>> lists) const;

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
