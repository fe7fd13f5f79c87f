#include "tune/rank_choices.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "evaluate/error_sums.h"
#include "run/sample_subset.h"
#include "tune/layer_errors.h"

namespace detent {

namespace {

constexpr size_t kSamples = 64;

}  // namespace

double RankedChoice::price(size_t choices) const {
  return macs_share + 0.25 / static_cast<double>(std::max<size_t>(1, choices));
}

std::vector<RankedChoice> rank_choices(FloatVariants& variants, const Model& model,
                                       const std::vector<std::string>& names, const DataSource& source,
                                       const RunSettings& settings) {
  const SampleSubset samples(source, samples_by_hash(source, kSamples));
  const LayerErrors errors =
      measure_layer_errors(variants, model, names, samples, settings, nullptr, LayerVariants::Alone);
  const auto macs = static_cast<double>(std::max<int64_t>(1, variants.macs()));
  std::vector<RankedChoice> ranking;
  for (const LayerErrors::Choice& choice : errors.choices)
    ranking.push_back({choice.what, static_cast<double>(choice.what.macs) / macs, worst_sqnr_db(choice.alone)});
  std::ranges::stable_sort(ranking, std::greater(), [&](const RankedChoice& choice) {
    return std::pow(10.0, -choice.alone_db / 10) / choice.price(ranking.size());
  });
  return ranking;
}

}  // namespace detent
