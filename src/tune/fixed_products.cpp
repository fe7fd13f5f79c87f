#include "tune/fixed_products.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibrators/squared_error.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

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

/// Returns the candidates.
KeptFloat find_candidates(PairVariants& variants) {
  const Graph& graph = variants.graph();
  const RangeKind kind = variants.format().range_kind();
  KeptFloat found;
  const PlacementPlan trial = plan_in_advance(variants);
  variants.measure_for({&trial, 1});
  const std::map<ValueId, Range> ranges = variants.ranges().ranges_of(trial);
  const Calibration& measured = variants.ranges().calibration();
  for (const EdgeDecision& edge : trial.edges) {
    const LayerDecision* layer = trial.find_layer(edge.consumer);
    const LayerDecision* now = variants.whole().find_layer(edge.consumer);
    if (!edge.reads_pair() || !layer || !layer->runs_on_codes() || !now || now->runs != Runs::Dynamic) continue;
    const auto histogram = measured.histograms.find(edge.value);
    const auto samples = measured.extremes.find(edge.value);
    if (histogram == measured.histograms.end() || samples == measured.extremes.end()) continue;
    const auto fixed = expected_sqnr_db(histogram->second, ranges.at(edge.value), kind);
    const auto dynamic = run_time_db(histogram->second, samples->second, kind);
    if (!fixed || !dynamic || *fixed < *dynamic + kFixedGainDb) continue;
    found.emplace(graph.node(edge.consumer).name,
                  fmt::format("8 bits keep {:.1f} dB of '{}' with this scale in advance, and {:.1f} dB with those that "
                              "would be found at run time",
                              *fixed, graph.value(edge.value).name, *dynamic));
  }
  return found;
}

}  // namespace

PlacementPlan plan_in_advance(const PairVariants& variants) {
  KeptFloat all;
  for (const LayerDecision& layer : variants.whole().layers)
    if (layer.runs == Runs::Dynamic) all.emplace(variants.graph().node(layer.node).name, "");
  return variants.plan_with(&MeasuredFacts::fixed, all);
}

KeptFloat find_fixed_products(PairVariants& variants, const DataSource& source, const RunSettings& settings) {
  KeptFloat found = find_candidates(variants);
  if (found.empty()) return {};
  const PlacementPlan with = variants.plan_with(&MeasuredFacts::fixed, found);
  variants.measure_for({&with, 1});
  const SampleSubset samples(source, samples_by_hash(source, kProbingSamples));
  const AcceptanceReport judgement = judge_change(
      {variants.float_model(), [&] { return variants.model(variants.whole()); }, [&] { return variants.model(with); },
       samples, settings, "comparing scales in advance with those of run time"});
  return judgement.kept ? std::move(found) : KeptFloat{};
}

}  // namespace detent
