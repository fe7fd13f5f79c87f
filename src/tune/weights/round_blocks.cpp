#include "tune/weights/round_blocks.h"

#include <algorithm>

#include "core/stopwatch.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/base/qparams.h"
#include "exec/runnable_part.h"
#include "run/deciding_samples.h"
#include "run/sample_subset.h"
#include "run/workers.h"
#include "tune/refine/gather_inputs.h"
#include "tune/refine/judge_rounding.h"
#include "tune/refine/rounding_inputs.h"
#include "tune/weights/fit_blocks.h"

namespace detent {

namespace {

/// Of each batch. Blocks have as many scales as a column has blocks: they ask more of the inputs than rows with one.
constexpr int64_t kPositions = 256;

/// The weights of the plan, each once with all its readers, whose inputs can run.
std::vector<RoundedWeight> weights_to_round(const Graph& graph, const PlacementPlan& plan) {
  const RunnablePart runnable(graph);
  std::vector<RoundedWeight> weights;
  for (const WeightDecision& decision : plan.weights) {
    const auto matrix = layer_matrix(graph, decision);
    const ValueId input = graph.node(decision.node).input(0);
    if (!matrix || matrix->columns > kMostRoundedColumns || !runnable.can_run(input)) continue;
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

class Rounder {
 public:
  Rounder(const Model& model, const PlacementPlan& plan, const BlockFormat& format, const RunSettings& settings)
      : model_(model), plan_(plan), format_(format), settings_(settings), quiet_(settings),
        weights_(weights_to_round(model.graph(), plan)) {
    quiet_.reporter = &Reporter::silent();
  }

  void round(BlockRounding& result, const DataSource& source) {
    const Graph& graph = model_.graph();
    settings_.reporter->begin("rounding weights", weights_.size());
    for (size_t first = 0; first < weights_.size();) {
      const auto group = std::span(weights_).subspan(first, group_size(weights_, first, source.size(), kPositions));
      // Those before this group are rounded already: what they cost shows in what this group reads.
      const Model variant = with_blocks(model_, plan_, result.weights, format_);
      const std::vector<LayerVectors> vectors = gather_inputs(graph, variant, group, kPositions, source, quiet_);
      std::vector<BlockedWeight> rounded(group.size());
      for_each_weight(group, worker_count(settings_), [&](size_t w) {
        rounded[w] = fit_blocks(*graph.constant(group[w].value), result.weights.at(group[w].value), format_,
                                moments_of(vectors[w], group[w].matrix, 0));
      });
      for (size_t w = 0; w < group.size(); ++w) {
        BlockedWeight& weight = result.weights.at(group[w].value);
        result.layers += !std::ranges::equal(rounded[w].codes.data<int8_t>(), weight.codes.data<int8_t>());
        result.short_of_rows += vectors_in(vectors[w], group[w].matrix.columns) < group[w].matrix.columns;
        weight = std::move(rounded[w]);
      }
      settings_.reporter->advance_to(first += group.size());
    }
    settings_.reporter->end();
  }

 private:
  const Model& model_;
  const PlacementPlan& plan_;
  const BlockFormat& format_;
  const RunSettings& settings_;
  RunSettings quiet_;
  std::vector<RoundedWeight> weights_;
};

/// What was judged on some samples is made of all of them: more inputs tell more, and nothing else changes.
void refit_on_all(const Model& model, const PlacementPlan& plan, const BlockFormat& format,
                  const BlockedWeights& nearest, const DataSource& source, const RunSettings& settings,
                  BlockRounding& result) {
  BlockRounding again;
  again.weights = nearest;
  const SampleSubset all(source, samples_by_hash(source, kMeasuringSamples + result.samples));
  Rounder(model, plan, format, settings).round(again, all);
  result.weights = std::move(again.weights);
  result.layers = again.layers;
  result.short_of_rows = again.short_of_rows;
}

}  // namespace

BlockRounding round_blocks(const Model& model, const PlacementPlan& whole, const BlockFormat& format,
                           const BlockedWeights& nearest, const DataSource& source, const RunSettings& settings) {
  const Stopwatch stopwatch;
  PlacementPlan plan = whole;
  plan.tables.clear();  // they lose 20 dB less than weights do: floats here, so that codes do not depend on them
  BlockRounding result;
  result.weights = nearest;
  const RoundingSamples split(source);
  if (!split.enough()) {
    result.reason = "fewer than 8 samples";
    return result;
  }
  const SampleSubset deciding(source, split.deciding), measuring(source, split.measuring);
  Rounder(model, plan, format, settings).round(result, measuring);
  if (result.layers > 0) {
    static_cast<MeasuredChange&>(result) =
        judge_rounding(model, with_blocks(model, plan, nearest, format),
                       with_blocks(model, plan, result.weights, format), deciding, settings);
  } else {
    result.reason = "every weight is rounded best to its nearest code";
  }
  result.samples = measuring.size();
  if (result.kept)
    refit_on_all(model, plan, format, nearest, source, settings, result);
  else
    result.weights = nearest;
  result.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
