#include "tune/equalize/absorb_biases.h"

#include <algorithm>
#include <utility>

#include "equalize/absorb_patch.h"
#include "equalize/find_absorbable.h"
#include "exec/executor.h"
#include "observe/channel_ranges.h"
#include "calibrate/channel_ranges.h"
#include "tune/equalize/choose_families.h"
#include "run/deciding_samples.h"
#include "pipeline/plan_report.h"
#include "pipeline/quantize_report.h"
#include "run/sample_subset.h"
#include "core/stopwatch.h"

namespace detent {

namespace {

/// Activations that could lose something, and what of it they do on some samples.
class Absorber {
 public:
  Absorber(const Graph& graph, std::span<const Tensor> inputs, const RunSettings& settings)
      : graph_(graph), settings_(settings), shapes_(find_shapes(graph, inputs)), flow_(graph, shapes_),
        absorbable_(find_absorbable(graph, flow_)) {}

  [[nodiscard]] size_t activations() const { return absorbable_.size(); }

  [[nodiscard]] ChannelRanges ranges_on(const DataSource& samples) const {
    std::map<ValueId, int> axes;
    for (const Absorbable& one : absorbable_) axes[one.activation] = one.axis;
    return channel_ranges_of(graph_, axes, samples, settings_);
  }
  [[nodiscard]] Shifts shifts_from(const ChannelRanges& ranges) const {
    return choose_shifts(graph_, shapes_, flow_, absorbable_, ranges);
  }

 private:
  const Graph& graph_;
  const RunSettings& settings_;
  Shapes shapes_;
  ShiftFlow flow_;
  std::vector<Absorbable> absorbable_;
};

/// A copy of the model with the shifts applied; nullopt, and a note, where rounding the biases once moves an output too far.
std::optional<Model> absorbed(const Model& model, const Shifts& shifts, std::span<const Tensor> inputs,
                              std::string& note) {
  Model copy = model.clone();
  try {
    apply_absorption(copy, shifts, inputs);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::Internal) throw;
    note = error.what();
    return std::nullopt;
  }
  return copy;
}

/// Activations among the values that are shifted.
std::vector<ValueId> shifted_activations(const Graph& graph, const Shifts& shifts) {
  std::vector<ValueId> found;
  for (const auto& [name, value] : shifts) {
    const ValueId id = graph.find_value(name);
    const Node* node = id == kNoValue ? nullptr : graph.producer(id);
    if (node && identity_up_to(graph, *node)) found.push_back(id);
  }
  return found;
}

/// True when on these inputs no activation bends what is subtracted.
bool holds_on(const Graph& graph, const Shifts& shifts, std::span<const Tensor> inputs) {
  const std::vector<ValueId> activations = shifted_activations(graph, shifts);
  const std::vector<Tensor> tensors = run_once(graph, inputs, activations);
  for (size_t i = 0; i < activations.size(); ++i) {
    const ValueId id = activations[i];
    const ShiftedValue& shifted = shifts.at(graph.value(id).name);
    const int axis = static_cast<int>(tensors[i].shape().rank()) - 1 - shifted.from_right;
    ChannelRangeObserver observer(std::map<ValueId, int>{{id, axis}});
    observer.observe(id, tensors[i]);
    const auto extremes = observer.extremes();
    const auto seen = extremes.find(id);
    if (seen == extremes.end() || seen->second.min.size() != shifted.shifts.size()) return false;
    const float high = *identity_up_to(graph, *graph.producer(id));
    for (size_t c = 0; c < shifted.shifts.size(); ++c)
      if (shifted.shifts[c] != 0 && (seen->second.min[c] < shifted.shifts[c] || seen->second.max[c] >= high))
        return false;
  }
  return true;
}

void add_ranges(std::vector<AbsorbReport::Value>& values, const Graph& graph, const Shifts& shifts,
                const ChannelRanges& ranges) {
  for (AbsorbReport::Value& value : values) {
    const ChannelRange& range = ranges.at(graph.find_value(value.name));
    const std::vector<float>& shift = shifts.at(value.name).shifts;
    for (size_t c = 0; c < shift.size(); ++c) {
      value.amax_before = std::max(value.amax_before, static_cast<double>(range.amax(c)));
      value.amax_after = std::max(value.amax_after, static_cast<double>(range.amax(c) - shift[c]));
    }
  }
}

}  // namespace

Absorption absorb_biases(Model& model, std::span<const Tensor> inputs, const DataSource& source,
                         const RunSettings& settings, const FoldJudge& judge) {
  const Stopwatch stopwatch;
  const SampleSubset samples(source, samples_by_hash(source, kRangeSamples));
  Absorption result;
  AbsorbReport& report = result.report;
  Shifts judged;
  {
    const Absorber absorber(model.graph(), inputs, settings);
    report.activations = absorber.activations();
    if (report.activations == 0) return result;
    const ChannelRanges ranges = absorber.ranges_on(samples);
    result.shifts = absorber.shifts_from(ranges);
    report.samples = samples.size();
    report.values = describe_shifts(model.graph(), result.shifts);
    add_ranges(report.values, model.graph(), result.shifts, ranges);
    const SampleSubset others(source, samples_beside_deciding(source, kRangeSamples));
    if (!result.shifts.empty()) judged = absorber.shifts_from(absorber.ranges_on(others));
  }
  if (!judged.empty()) {
    std::vector<Model> candidates;
    for (int i = 0; i < 2; ++i) candidates.push_back(model.clone());
    apply_patch(candidates.back(), make_absorb_patch(model.graph(), judged));
    const std::vector<std::vector<double>> scores =
        judge(candidates, SampleSubset(source, samples_beside_deciding(source, kMeasuringSamples)),
              SampleSubset(source, deciding_samples(source)));
    report.sqnr_before_db = mean(scores.front());
    report.sqnr_after_db = mean(scores.back());
    if (*report.sqnr_after_db >= *report.sqnr_before_db) {
      // Nothing is bent on a sample that was measured, so the outputs are comparable.
      auto copy = absorbed(model, result.shifts, read_first_inputs(samples, model.graph(), settings), report.note);
      if (copy) result.original = std::exchange(model, std::move(*copy));
    }
  }
  report.kept = result.original.has_value();
  if (!report.kept) result.shifts.clear();
  report.seconds = stopwatch.seconds();
  return result;
}

void apply_absorption(Model& model, const Shifts& shifts, std::span<const Tensor> inputs) {
  if (shifts.empty()) return;
  const GraphPatch patch = make_absorb_patch(model.graph(), shifts);
  const bool comparable = !inputs.empty() && holds_on(model.graph(), shifts, inputs);
  const NamedOutputs before = comparable ? outputs_of(model, inputs) : NamedOutputs{};
  apply_patch(model, patch);
  if (comparable) check_same_outputs(before, model, inputs, "absorbing biases");
}

std::vector<AbsorbReport::Value> describe_shifts(const Graph& graph, const Shifts& shifts) {
  std::vector<AbsorbReport::Value> values;
  for (const ValueId id : shifted_activations(graph, shifts)) {
    const std::vector<float>& shift = shifts.at(graph.value(id).name).shifts;
    const auto absorbed = static_cast<size_t>(std::ranges::count_if(shift, [](float c) { return c != 0; }));
    values.push_back({graph.value(id).name, shift.size(), absorbed});
  }
  return values;
}

}  // namespace detent
