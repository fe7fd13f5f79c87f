#include "tune/equalize/absorb_biases.h"

#include <algorithm>
#include <utility>

#include "calibrate/channel_ranges.h"
#include "core/mean.h"
#include "core/stopwatch.h"
#include "equalize/absorb_patch.h"
#include "equalize/channel_range.h"
#include "equalize/find_absorbable.h"
#include "exec/find_shapes.h"
#include "model/graph/value_shapes.h"
#include "run/deciding_samples.h"
#include "run/model_inputs.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"
#include "tune/equalize/apply.h"

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
  ValueShapes shapes_;
  ShiftFlow flow_;
  std::vector<Absorbable> absorbable_;
};

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
    const SampleSubset fit(source, samples_beside_deciding(source, kMeasuringSamples));
    const SampleSubset held_out(source, deciding_samples(source));
    const std::vector<std::vector<double>> scores = scores_of(judge(fit, held_out)(candidates));
    report.sqnr_before_db = mean(scores.front());
    report.sqnr_after_db = mean(scores.back());
    if (*report.sqnr_after_db < *report.sqnr_before_db) {
      report.note = "SQNR " + fall_text(*report.sqnr_before_db, *report.sqnr_after_db);
    } else {
      // Nothing is bent on a sample that was measured, so the outputs are comparable.
      Model copy = model.clone();
      if (const auto changed = absorb(copy, result.shifts, read_first_inputs(samples, settings)))
        report.note = "absorbing biases " + changed->what;
      else
        result.original = std::exchange(model, std::move(copy));
    }
  }
  report.kept = result.original.has_value();
  if (!report.kept) result.shifts.clear();
  report.seconds = stopwatch.seconds();
  return result;
}

}  // namespace detent
