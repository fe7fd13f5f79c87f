#include "tune/equalize/cross_fit.h"

#include <algorithm>

#include "exec/lean.h"
#include "run/model_inputs.h"
#include "run/sample_counts.h"

namespace detent {

namespace {

constexpr size_t kEnoughForHalves = 32;
constexpr size_t kMostParts = 3;

size_t parts_of(size_t samples) { return samples >= kEnoughForHalves ? 2 : std::min(samples, kMostParts); }

/// Returns every `count`-th sample from `part` on, or all others.
std::vector<size_t> part_of(const std::vector<size_t>& samples, size_t part, size_t count, bool others) {
  std::vector<size_t> chosen;
  for (size_t i = 0; i < samples.size(); ++i)
    if (count == 1 || (i % count == part) != others) chosen.push_back(samples[i]);
  return chosen;
}

}  // namespace

CrossFit::CrossFit(const Model& model, const EqualizeData& data, const FactorOptions& options, const FoldJudge& judge)
    : model_(model) {
  const DataSource& source = data.source;
  const std::vector<size_t> samples = samples_by_hash(source, kFactorSamples, data.always);
  const size_t parts = parts_of(samples.size());
  for (size_t part = 0; part < parts; ++part) {
    const SampleSubset fit(source, part_of(samples, part, parts, true));
    // Patches are exact on the samples that fit the factors. A held-out sample may reach a Clip; the judge sees that.
    folds_.push_back(std::make_unique<Fold>(fit, SampleSubset(source, part_of(samples, part, parts, false)),
                                            read_first_inputs(fit, data.settings)));
    Fold& fold = *folds_.back();
    fold.equalizer.emplace(model, fold.inputs, fold.fit, data.settings, options);
    fold.scorer = judge(fold.fit, fold.held_out);
  }
}

std::vector<std::vector<double>> CrossFit::on_part(std::span<const std::vector<EqualizeItem>> lists,
                                                   size_t part) const {
  const Fold& fold = *folds_.at(part);
  const auto model_of = [&](size_t i) {
    return lists[i].empty() ? model_.clone() : fold.equalizer->equalized(lists[i]);
  };
  return scores_of(judge_models(fold.scorer, lists.size(), model_of, runs_alone(model_.graph())));
}

}  // namespace detent
