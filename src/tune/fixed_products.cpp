#include "tune/fixed_products.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibrators/squared_error.h"
#include "place/make_plan.h"
#include "rewrite/quantized_model.h"
#include "rewrite/weight_memo.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

constexpr size_t kJudged = 16;

/// Returns the SQNR in dB that 8 bits keep of a value when the range is that of each sample: what they keep in the
/// range of all samples, with the noise of narrower ranges, which falls with the square of their width. nullopt where
/// nothing is lost, or samples are not known.
std::optional<double> run_time_db(const Histogram& histogram, const std::vector<Extremes>& samples, RangeKind kind) {
  const auto width = [](float min, float max) {
    return std::max(0.0, static_cast<double>(max)) - std::min(0.0, static_cast<double>(min));
  };
  const auto whole = expected_sqnr_db(histogram, {histogram.min(), histogram.max()}, kind);
  const double widest = width(histogram.min(), histogram.max());
  double noise = 0;
  for (const Extremes& sample : samples) noise += std::pow(width(sample.min, sample.max) / widest, 2);
  if (!whole || !(noise > 0)) return std::nullopt;
  return *whole - 10 * std::log10(noise / static_cast<double>(samples.size()));
}

PlacementPlan plan_with(const RuinQuestion& question, KeptFloat fixed) {
  MeasuredFacts facts = question.kept;
  facts.fixed.merge(fixed);
  return make_placement_plan(question.model.graph(), *question.plan.target, question.placement, question.shapes, facts);
}

/// Returns the candidates.
KeptFloat find_candidates(const RuinQuestion& question) {
  const Graph& graph = question.model.graph();
  KeptFloat found;
  const PlacementPlan trial = plan_in_advance(question);
  question.ranges.measure_for({&trial, 1});
  const std::map<ValueId, Range> ranges = question.ranges.ranges_of(trial);
  const Calibration& measured = question.ranges.calibration();
  for (const EdgeDecision& edge : trial.edges) {
    const LayerDecision* layer = trial.find_layer(edge.consumer);
    const LayerDecision* now = question.plan.find_layer(edge.consumer);
    if (!edge.pair || !layer || !layer->int8 || !now || !now->dynamic) continue;
    const auto histogram = measured.histograms.find(edge.value);
    const auto samples = measured.extremes.find(edge.value);
    if (histogram == measured.histograms.end() || samples == measured.extremes.end()) continue;
    const auto fixed = expected_sqnr_db(histogram->second, ranges.at(edge.value), question.format.range_kind());
    const auto dynamic = run_time_db(histogram->second, samples->second, question.format.range_kind());
    if (!fixed || !dynamic || *fixed < *dynamic + kFixedGainDb) continue;
    found.emplace(graph.node(edge.consumer).name,
                  fmt::format("8 bits keep {:.1f} dB of '{}' with this scale in advance, and {:.1f} dB with those that "
                              "would be found at run time",
                              *fixed, graph.value(edge.value).name, *dynamic));
  }
  return found;
}

}  // namespace

PlacementPlan plan_in_advance(const RuinQuestion& question) {
  KeptFloat all;
  for (const LayerDecision& layer : question.plan.layers)
    if (layer.dynamic) all.emplace(question.model.graph().node(layer.node).name, "");
  return plan_with(question, std::move(all));
}

KeptFloat find_fixed_products(const RuinQuestion& question) {
  KeptFloat found = find_candidates(question);
  if (found.empty()) return {};
  const PlacementPlan with = plan_with(question, found);
  question.ranges.measure_for({&with, 1});
  WeightMemo weights;
  const auto model_of = [&](const PlacementPlan& plan) {
    return quantized_model(question.model, plan, question.ranges.ranges_of(plan), question.format, {}, &weights);
  };
  const SampleSubset samples(question.source, samples_by_hash(question.source, kJudged));
  const AcceptanceReport judgement =
      judge_change({question.model, [&] { return model_of(question.plan); }, [&] { return model_of(with); }, samples,
                    question.settings, "comparing scales in advance with those of run time"});
  return judgement.kept ? std::move(found) : KeptFloat{};
}

}  // namespace detent
