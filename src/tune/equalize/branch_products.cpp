#include "tune/equalize/branch_products.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "calibrate/ruined_values.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "run/deciding_samples.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "run/samples_together.h"
#include "tune/acceptance.h"
#include "tune/equalize/equalizer.h"
#include "tune/equalize/even_outliers.h"

namespace detent {

namespace {

constexpr double kProductExponents[] = {0.5, 0.75};

std::vector<size_t> probing(std::vector<size_t> samples) {
  if (samples.size() > kProbingSamples) samples.resize(kProbingSamples);
  return samples;
}

/// The factors for one exponent, and how the outputs change by them.
struct Candidate {
  double alpha = 0;
  Equalization factors;
  AcceptanceReport judged;
};

}  // namespace

bool may_branch_products(const Graph& graph, const PlacementPlan& plan, const JudgeOptions& judged) {
  return judged.ruined_at_run_time && judged.placement.residual == PlacementOptions::Residual::Auto &&
         pairs_the_stream(graph, plan, judged.placement);
}

std::optional<EqualizedModel> branch_products(Model& model, Model plain, std::optional<EqualizedModel> evened,
                                              const EqualizeData& data, const FactorOptions& options,
                                              const JudgeOptions& judged) {
  const Stopwatch stopwatch;
  if (data.all.size() < kFewestToJudge) return evened;
  const SampleSplit split(data.all);
  const SampleSubset measuring(data.all, probing(split.measuring)), deciding(data.all, probing(split.deciding));
  if (ruined_in(model, data, measuring, judged).empty()) return evened;
  FactorOptions uneven = options;
  uneven.least_imbalance = kOutlierImbalance;
  uneven.branched = BranchedValues::OfProducts;
  const Equalizer equalizer(model, data.inputs, measuring, data.settings, uneven,
                            [](const ChannelGroup& group) { return group.family == EqualizeFamily::Branch; });
  if (!equalizer.changes(EqualizeFamily::Branch)) return evened;
  const SamplesApart apart;  // a batch would have one range
  PlacementRequest placement = judged.placement;
  placement.dynamic_products = placement.ranges_known = true;
  const FoldScorer scorer = make_fold_judge(model, {judged.target,
                                                    placement,
                                                    judged.format,
                                                    judged.overrides,
                                                    {std::string(kOutlierCalibrator)},
                                                    judged.run,
                                                    judged.kept})(measuring, deciding);
  const auto scores = [&](const Model& one) { return scorer({&one, 1}).front().front(); };
  const std::vector<double> before = scores(model);
  std::optional<Candidate> best;
  for (const double alpha : kProductExponents) {
    if (equalizer.change_by({{EqualizeFamily::Branch, alpha}})) continue;
    Candidate one{alpha, equalizer.equalization({{EqualizeFamily::Branch, alpha}}), {}};
    Model with = model.clone();
    apply_equalization(with, one.factors, {});
    one.judged = accept_change(before, scores(with), {.gain_db = kLeastBranchGainDb});
    if (!best || *one.judged.after_db > *best->judged.after_db) best = std::move(one);
  }
  if (!best) return evened;
  std::string note;
  if (best->judged.kept)
    note =
        fmt::format("a Mul evens channels out in front of products that read {} (mean SQNR {:.2f} -> {:.2f} dB on {})",
                    plural(best->factors.values.size(), "value"), *best->judged.before_db, *best->judged.after_db,
                    plural(best->judged.samples, "other sample"));
  evened = end_with({best->alpha, best->factors, best->judged, note}, model, std::move(plain), std::move(evened),
                    equalizer, measuring.size(), data.inputs);
  evened->report.seconds += stopwatch.seconds();
  return evened;
}

}  // namespace detent
