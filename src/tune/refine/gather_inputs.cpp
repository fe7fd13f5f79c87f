#include "tune/refine/gather_inputs.h"

#include "core/float_type.h"
#include "exec/executor.h"
#include "exec/runnable_part.h"
#include "exec/schedule.h"
#include "run/observed_batch.h"
#include "run/run_over.h"
#include "run/workers.h"
#include "tune/refine/code_grid.h"

namespace detent {

namespace {

struct Place {
  size_t weight = 0, reader = 0;
};

/// What `grid` leaves of a value, and 0 at padding, which adds nothing to second moments.
/// counted  by element, empty: all.
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

/// Takes the vectors out of each value as it passes.
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

}  // namespace detent
