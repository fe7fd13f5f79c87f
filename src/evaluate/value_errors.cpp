#include "evaluate/value_errors.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "evaluate/batch_errors.h"
#include "evaluate/error_sums.h"
#include "exec/executor.h"
#include "exec/schedule.h"
#include "model/patch_union.h"
#include "rewrite/qdq_inserter.h"
#include "run/model_inputs.h"
#include "run/padding.h"
#include "run/run_over.h"
#include "run/workers.h"

namespace detent {

namespace {

/// A value and the output of its pair, in a model where nothing reads the pairs.
struct Watched {
  ValueId value{}, dequantized{};
  std::string name;
};

struct Sums {
  double signal = 0, noise = 0;
};

/// Returns the float model with the pairs of the plan beside it.
Model beside(const Model& model, PlacementPlan plan, const std::map<ValueId, Range>& ranges, RewriteOptions format,
             std::vector<std::pair<std::string, std::string>>& watched) {
  plan.weights.clear();
  format.int32_bias = false;
  const Graph& graph = model.graph();
  PatchUnion additions(graph);
  const auto variant = additions.add(make_qdq_patch(graph, plan, ranges, format).patch);
  std::map<std::pair<std::string, int>, std::string> reads;
  for (const auto& [node, slot, value] : variant.rewire) reads[{node, slot}] = value;
  std::map<ValueId, std::string> dequantized;
  for (const auto& [id, value] : plan.values)
    if (value.output) dequantized.emplace(id, variant.value(graph.value(id).name));
  for (const EdgeDecision& edge : plan.edges)
    if (edge.reads_pair()) dequantized.emplace(edge.value, reads.at({graph.node(edge.consumer).name, edge.slot}));
  for (const auto& [value, name] : dequantized)
    if (!graph.constant(value)) watched.emplace_back(graph.value(value).name, name);
  Model result = model.clone();
  GraphPatch patch = additions.patch();
  patch.reason = "put the pairs beside the float model";
  apply_patch(result, patch);
  return result;
}

/// Measures each value when its pair has written.
class LocalErrors final : public Observer {
 public:
  /// content  of the samples that count.
  LocalErrors(std::span<const Watched> watched, const SampleAxes& axes, size_t batch, size_t real, BatchContent content)
      : axes_(axes), sums_(watched.size()), batch_(batch), real_(real), content_(std::move(content)) {
    for (size_t i = 0; i < watched.size(); ++i) {
      float_[watched[i].value] = {};
      pairs_[watched[i].dequantized] = {i, watched[i].value};
    }
  }

  void observe(ValueId value, const Tensor& tensor) override {
    if (const auto found = float_.find(value); found != float_.end()) found->second = tensor;
    const auto pair = pairs_.find(value);
    if (pair == pairs_.end()) return;
    Tensor& original = float_.at(pair->second.second);
    add(original, tensor, axes_.of(pair->second.second), sums_[pair->second.first]);
    original = {};
  }
  [[nodiscard]] std::vector<Sums> take() { return std::move(sums_); }

 private:
  void add(const Tensor& original, const Tensor& quantized, const SampleAxis& where, Sums& sums) const {
    std::vector<Tensor> both{original, quantized};
    if (original.layout() != quantized.layout() || real_ != batch_ || !content_.empty())
      for (Tensor& tensor : both) tensor = to_plain(tensor);
    both = real_part(std::move(both), batch_, real_, std::vector{where, where});
    const Tensor a = cast(both[0], DataType::Float32), b = cast(both[1], DataType::Float32);
    const auto x = a.data<float>(), y = b.data<float>();
    const std::vector<uint8_t> counted = counted_elements(a.shape(), content_, where);
    for (size_t i = 0; i < x.size(); ++i) {
      if (!counted.empty() && counted[i] == 0) continue;
      if (!std::isfinite(x[i])) continue;  // calibration leaves them out too
      const double u = x[i], error = u - static_cast<double>(y[i]);
      sums.signal += u * u;
      sums.noise += error * error;
    }
  }

  const SampleAxes& axes_;
  std::vector<Sums> sums_;
  size_t batch_, real_;
  BatchContent content_;
  std::map<ValueId, Tensor> float_;
  std::map<ValueId, std::pair<size_t, ValueId>> pairs_;  // by output of the pair: position, the value itself
};

}  // namespace

std::vector<LocalError> measure_value_errors(const Model& model, const PlacementPlan& plan,
                                             const std::map<ValueId, Range>& ranges, const RewriteOptions& format,
                                             const DataSource& source, const RunSettings& settings) {
  std::vector<std::pair<std::string, std::string>> names;
  const Model both = beside(model, plan, ranges, format, names);
  const Graph& graph = both.graph();
  std::vector<Watched> watched;
  std::vector<ValueId> wanted;
  for (const auto& [name, dequantized] : names) {
    watched.push_back({*graph.find_value(name), *graph.find_value(dequantized), name});
    wanted.insert(wanted.end(), {watched.back().value, watched.back().dequantized});
  }

  const Schedule schedule(graph, wanted, {.team = team_size(settings, source)});
  const SampleAxes axes = find_sample_axes(schedule, source, settings);
  ExecutorSlots slots(schedule, worker_count(settings));
  std::vector<Sums> totals(watched.size());
  const auto run = [&](size_t slot, std::vector<Sample>&& batch, size_t real) {
    LocalErrors errors(watched, axes, batch.size(), real, content_of(std::span(batch).first(real)));
    slots.at(slot).run(stack_samples(std::move(batch)), errors);
    return errors.take();
  };
  const auto add = [&](std::vector<Sums>&& sums) {
    for (size_t i = 0; i < totals.size(); ++i) {
      totals[i].signal += sums[i].signal;
      totals[i].noise += sums[i].noise;
    }
  };
  run_over<std::vector<Sums>>({.source = source, .settings = settings, .task = "measuring every value"}, run, add);

  std::vector<LocalError> found;
  for (size_t i = 0; i < totals.size(); ++i)
    found.push_back({watched[i].name, sqnr_db(totals[i].signal, totals[i].noise)});
  std::ranges::sort(found, {}, [](const auto& error) { return std::pair(error.sqnr_db, error.value); });
  return found;
}

}  // namespace detent
