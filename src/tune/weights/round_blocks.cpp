#include "tune/weights/round_blocks.h"

#include <algorithm>

#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "exec/runnable_part.h"
#include "run/deciding_samples.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "run/workers.h"
#include "tune/acceptance.h"
#include "tune/refine/rounding_inputs.h"
#include "tune/weights/fit_blocks.h"

namespace detent {

namespace {

/// Positions of each batch. A column has a scale for each block, so it needs more inputs than rows with one scale.
constexpr int64_t kPositions = 256;

/// Returns the weights of the plan whose inputs can run, each once with all its readers.
std::vector<RoundedWeight> weights_to_round(const Graph& graph, const PlacementPlan& plan) {
  const RunnablePart runnable(graph);
  std::vector<RoundedWeight> weights;
  for (const WeightDecision& decision : plan.weights) {
    const auto matrix = layer_matrix(graph, decision);
    const ValueId input = *graph.node(decision.node).input(0);
    if (!matrix || graph.constant(decision.value)->shape().rank() != 2 || matrix->columns > kMostRoundedColumns ||
        !runnable.can_run(input))
      continue;
    auto known = std::ranges::find(weights, decision.value, &RoundedWeight::value);
    if (known == weights.end()) {
      weights.push_back({.value = decision.value, .matrix = *matrix});
      known = weights.end() - 1;
    }
    if (known->matrix == *matrix) known->readers.push_back({decision, input, std::nullopt});
  }
  return weights;
}

int64_t vectors_in(const LayerVectors& vectors, int64_t columns) {
  int64_t count = 0;
  for (const auto& samples : vectors)
    for (const std::vector<float>& sample : samples) count += static_cast<int64_t>(sample.size()) / columns;
  return count;
}

/// Rounds the weights of the plan, group by group, by their layers' inputs on `source`. Does not judge them.
BlockRounding round_by(const DataSource& source, const Model& model, const PlacementPlan& plan,
                       const BlockFormat& format, const BlockedWeights& nearest, const RunSettings& settings) {
  const Graph& graph = model.graph();
  const std::vector<RoundedWeight> weights = weights_to_round(graph, plan);
  RunSettings quiet = settings;
  quiet.reporter = &Reporter::silent();
  BlockRounding result;
  result.weights = nearest;
  settings.reporter->begin("rounding weights", weights.size());
  for (size_t first = 0; first < weights.size();) {
    const auto group = std::span(weights).subspan(first, group_size(weights, first, source.size(), kPositions));
    // The weights before this group are rounded already: their error is part of what this group reads.
    const Model variant = with_blocks(model, plan, result.weights, format);
    const std::vector<LayerVectors> vectors = gather_inputs(graph, variant, group, kPositions, source, quiet);
    std::vector<BlockedWeight> rounded(group.size());
    for_each_weight(group, worker_count(settings), [&](size_t w) {
      rounded[w] = fit_blocks(*graph.constant(group[w].value), result.weights.at(group[w].value), format,
                              moments_of(vectors[w], group[w].matrix, 0));
    });
    for (size_t w = 0; w < group.size(); ++w) {
      BlockedWeight& weight = result.weights.at(group[w].value);
      result.layers += !std::ranges::equal(rounded[w].codes.data<int8_t>(), weight.codes.data<int8_t>());
      result.short_of_rows += vectors_in(vectors[w], group[w].matrix.columns) < group[w].matrix.columns;
      weight = std::move(rounded[w]);
    }
    settings.reporter->advance_to(first += group.size());
  }
  settings.reporter->end();
  return result;
}

}  // namespace

BlockRounding round_blocks(const Model& model, const PlacementPlan& whole, const BlockFormat& format,
                           const BlockedWeights& nearest, const DataSource& source, const RunSettings& settings) {
  const Stopwatch stopwatch;
  PlacementPlan plan = whole;
  plan.tables.clear();  // tables lose 20 dB less than weights: float here, so that codes do not depend on them
  BlockRounding result;
  result.weights = nearest;
  const RoundingSamples split(source);
  if (!split.enough()) {
    result.reason = "fewer than 8 samples";
    return result;
  }
  const SampleSubset deciding(source, split.deciding), measuring(source, split.measuring);
  result = round_by(measuring, model, plan, format, nearest, settings);
  MeasuredChange judged{.reason = "the nearest code is best for every weight"};
  if (result.layers > 0)
    judged = judge_change({model, [&] { return with_blocks(model, plan, nearest, format); },
                           [&] { return with_blocks(model, plan, result.weights, format); }, deciding, settings,
                           "comparing rounded weights"});
  if (judged.kept) {  // rounds again with the deciding samples too: more inputs are better
    const SampleSubset all(source, samples_by_hash(source, kMeasuringSamples + measuring.size()));
    result = round_by(all, model, plan, format, nearest, settings);
  } else {
    result.weights = nearest;
  }
  static_cast<MeasuredChange&>(result) = std::move(judged);
  result.samples = measuring.size();
  result.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
