#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/sample_axis.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "exec/schedule.h"
#include "model/graph/graph.h"

namespace detent {

/// The places of the samples of a batch in the values of a graph.
class SampleAxes {
 public:
  /// Samples lie in front of every value: a batch of one sample, or samples joined because the model takes any number.
  SampleAxes() = default;
  explicit SampleAxes(ValueMap<SampleAxis> by_value) : by_value_(std::move(by_value)) {}

  [[nodiscard]] SampleAxis of(ValueId value) const { return by_value_.empty() ? SampleAxis{} : by_value_[value]; }
  /// Returns the places in the order given; empty: in front of every value.
  [[nodiscard]] std::vector<SampleAxis> of(std::span<const ValueId> values) const;

 private:
  ValueMap<SampleAxis> by_value_;
};

/// Finds by evidence where the samples of a batch that the model fixes lie in the values that `schedule` wants. The
/// first batch of the source runs, and again with one sample replaced by another one: the elements that change belong
/// to that sample. Two samples are replaced, and up to six more where a doubt remains. A value is Unknown when the
/// elements that changed fit no axis, or more than one, or none changed although the value depends on the samples.
/// Batch of 1, or left open by the model: nothing is run, samples lie in front. Samples that cannot be read or run,
/// which the pass over all of them reports: all values are Unknown. Errors  Interrupted.
[[nodiscard]] SampleAxes find_sample_axes(const Schedule& schedule, const DataSource& source,
                                          const RunSettings& settings);

/// Does the same for a graph without a schedule.
[[nodiscard]] SampleAxes find_sample_axes(const Graph& graph, std::span<const ValueId> values, const DataSource& source,
                                          const RunSettings& settings);

}  // namespace detent
