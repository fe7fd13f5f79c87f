#include "tune/refine/rounding_inputs.h"

#include <algorithm>

#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "rewrite/qdq_inserter.h"
#include "run/for_each_index.h"
#include "run/observed_batch.h"
#include "run/run_over.h"
#include "run/workers.h"
#include "tune/refine/code_grid.h"

namespace detent {

namespace {

class Finder {
 public:
  Finder(const Graph& graph, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
         const RewriteOptions& format)
      : graph_(graph), plan_(plan), runnable_(graph), rewrite_(make_qdq_patch(graph, plan, ranges, format, &memo_)) {}

  std::optional<RoundedWeight> find(ValueId value) const {
    RoundedWeight weight{.value = value};
    for (const WeightDecision& decision : plan_.weights)
      if (decision.value == value && !add_reader(decision, weight)) return std::nullopt;
    const auto entries = memo_.entries_of(value);
    if (entries.size() != 1 || graph_.value(value).uses.size() != weight.readers.size()) return std::nullopt;
    weight.axis = entries[0].first;
    weight.options = entries[0].second->options;
    weight.nearest = entries[0].second->quantized;
    return weight;
  }

 private:
  bool add_reader(const WeightDecision& decision, RoundedWeight& weight) const {
    const auto matrix = layer_matrix(graph_, decision);
    if (!matrix || (!weight.readers.empty() && *matrix != weight.matrix)) return false;
    weight.matrix = *matrix;
    const int slot = decision.slot == 0 ? 1 : 0;
    const MaybeValue input = graph_.node(decision.node).input(slot);
    if (!input || graph_.value(*input).is_constant || !runnable_.can_run(*input)) return false;
    const EdgeDecision* edge = find_pair(plan_, graph_, decision.node, slot);
    std::optional<QParams> grid;
    if (const QuantizedValue* found = rewrite_.find_grid(edge)) grid = found->qparams;
    weight.readers.push_back({decision, *input, std::move(grid)});
    return true;
  }

  const Graph& graph_;
  const PlacementPlan& plan_;
  RunnablePart runnable_;
  WeightMemo memo_;
  Rewrite rewrite_;
};

struct Place {
  size_t weight = 0, reader = 0;
};

/// Returns the value rounded to `grid`, with 0 at padding, which adds nothing to second moments.
/// counted  by element; empty: all.
Tensor as_read(const Tensor& value, const std::optional<QParams>& grid, std::span<const uint8_t> counted) {
  Tensor wide = cast(to_plain(value), DataType::Float32);
  if (!grid && counted.empty()) return wide;
  if (wide.raw() == value.raw()) wide = wide.clone();
  const auto elements = wide.mutable_data<float>();
  for (size_t i = 0; i < counted.size(); ++i)
    if (counted[i] == 0) elements[i] = 0;
  if (!grid) return wide;
  const float scale = grid->scale.front();
  const int32_t zero = grid->zero_point.front();
  if (grid->type == DataType::Float8E4M3FN) {
    const CodeGrid floats = CodeGrid::e4m3();
    for (float& x : elements) x = floats.nearest(x, scale) * scale;
    return wide;
  }
  const CodeRange codes = code_range(grid->type);
  for (float& x : elements) x = static_cast<float>(quantize_element(x, scale, zero, codes) - zero) * scale;
  return wide;
}

/// Takes the vectors out of each value as it is observed.
class Gatherer : public SampleObserver {
 public:
  /// places  in the graph that runs
  Gatherer(const Graph& graph, std::span<const RoundedWeight> weights, const ValueMap<std::vector<Place>>& places,
           int64_t most)
      : graph_(graph), weights_(weights), places_(places), most_(most), kept_(weights.size()) {
    for (size_t w = 0; w < weights.size(); ++w) kept_[w].resize(weights[w].readers.size());
  }

  void observe(ValueId value, const Tensor& tensor, const SampleAxis&, std::span<const uint8_t> counted) override {
    for (const Place& place : places_[value]) {
      const RoundedWeight& weight = weights_[place.weight];
      const RoundedWeight::Reader& reader = weight.readers[place.reader];
      kept_[place.weight][place.reader] =
          input_vectors(graph_, reader.decision, weight.matrix, as_read(tensor, reader.grid, counted), most_);
    }
  }

  [[nodiscard]] std::vector<std::vector<std::vector<float>>> take() { return std::move(kept_); }

 private:
  const Graph& graph_;
  std::span<const RoundedWeight> weights_;
  const ValueMap<std::vector<Place>>& places_;
  int64_t most_;
  std::vector<std::vector<std::vector<float>>> kept_;  // [weight][reader]
};

}  // namespace

std::vector<RoundedWeight> weights_to_round(const Graph& graph, const PlacementPlan& plan,
                                            const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                            int64_t most_columns) {
  const Finder finder(graph, plan, ranges, format);
  std::vector<RoundedWeight> weights;
  for (const WeightDecision& decision : plan.weights) {
    if (std::ranges::find(weights, decision.value, &RoundedWeight::value) != weights.end()) continue;
    auto weight = finder.find(decision.value);
    if (weight && weight->matrix.columns <= most_columns) weights.push_back(std::move(*weight));
  }
  return weights;
}

std::vector<LayerVectors> gather_inputs(const Graph& graph, const Model& variant,
                                        std::span<const RoundedWeight> weights, int64_t most, const DataSource& source,
                                        const RunSettings& settings) {
  const Graph& running = variant.graph();
  ValueMap<std::vector<Place>> places(running.values().size());
  std::vector<ValueId> wanted;
  std::vector<LayerVectors> result;
  for (size_t w = 0; w < weights.size(); ++w) {
    result.emplace_back(weights[w].readers.size());
    for (size_t r = 0; r < weights[w].readers.size(); ++r) {
      const ValueId value = values_named(running, {graph.value(weights[w].readers[r].input).name}).front();
      if (places[value].empty()) wanted.push_back(value);
      places[value].push_back({w, r});
    }
  }
  const Schedule schedule(running, wanted, {.team = team_size(settings, source)});
  const SampleAxes axes = find_sample_axes(schedule, source, settings);
  ExecutorSlots slots(schedule, worker_count(settings));
  using Kept = std::vector<std::vector<std::vector<float>>>;
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t) {
    Gatherer gatherer(graph, weights, places, most);
    run_observed(slots.at(slot), std::move(batch), axes, gatherer);
    return gatherer.take();
  };
  const auto take = [&](Kept&& kept) {
    for (size_t w = 0; w < kept.size(); ++w)
      for (size_t r = 0; r < kept[w].size(); ++r) result[w][r].push_back(std::move(kept[w][r]));
  };
  run_over<Kept>({.source = source, .settings = settings, .refuse_empty = {}}, run, take);
  return result;
}

SecondMoments moments_of(const LayerVectors& vectors, const LayerMatrix& matrix, int64_t group) {
  SecondMoments moments(matrix.columns);
  for (const auto& samples : vectors)
    for (const std::vector<float>& sample : samples) {
      const size_t size = sample.size() / static_cast<size_t>(matrix.groups);
      moments.add(std::span(sample).subspan(static_cast<size_t>(group) * size, size));
    }
  return moments;
}

size_t group_size(std::span<const RoundedWeight> weights, size_t first, size_t samples, int64_t positions) {
  constexpr int64_t kGatheredBytes = int64_t{128} << 20;
  int64_t bytes = 0;
  size_t count = 0;
  for (size_t w = first; w < weights.size(); ++w, ++count) {
    const LayerMatrix& matrix = weights[w].matrix;
    bytes += static_cast<int64_t>(weights[w].readers.size() * samples * sizeof(float)) * positions * matrix.groups *
             matrix.columns;
    if (bytes > kGatheredBytes && count > 0) break;
  }
  return count;
}

void for_each_weight(std::span<const RoundedWeight> weights, size_t threads, const std::function<void(size_t)>& round) {
  constexpr int64_t kSmallColumns = 1024;
  for_each_index(weights.size(), threads, [&](size_t w) {
    if (weights[w].matrix.columns < kSmallColumns) round(w);
  });
  for (size_t w = 0; w < weights.size(); ++w)
    if (weights[w].matrix.columns >= kSmallColumns) round(w);
}

}  // namespace detent
