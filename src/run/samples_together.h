#pragma once

#include <span>

#include "datasets/base/made_sources.h"
#include "detent/options/run_settings.h"
#include "exec/schedule.h"
#include "model/graph/graph.h"
#include "model/graph/value_shapes.h"

namespace detent {

/// The samples of another source, for a model that takes any number at once.
class SamplesTogether final : public WrappedSource {
 public:
  /// `source` must outlive this object. together  the number of consecutive samples in a batch; 1: as `source` says.
  SamplesTogether(const DataSource& source, size_t together) : WrappedSource(source), together_(together) {}
  [[nodiscard]] size_t batch() const override { return together_ > 1 ? together_ : WrappedSource::batch(); }

 private:
  size_t together_;
};

/// While one exists, samples_together() gives 1 in the whole process: for models that find scales at run time, whose
/// numbers depend on what runs beside a sample. Results of other models are the same, and may take longer.
class SamplesApart {
 public:
  explicit SamplesApart(bool apart = true);
  ~SamplesApart();
  SamplesApart(const SamplesApart&) = delete;
  SamplesApart& operator=(const SamplesApart&) = delete;

 private:
  bool apart_;
};

/// True beside a SamplesApart, and where the numbers of a sample may depend on those beside it in ways that the first
/// samples need not show: scales that are found at run time, and branches.
[[nodiscard]] bool may_mix_samples(const Graph& graph);

/// Returns how many samples are worth running at once: where a weight is read for few positions of a sample (the last
/// layers of networks for small images), fetching it takes longer than the products, and several samples share it. Up
/// to 8, so that a weight serves 64 positions; 1 where it does anyway, where the model fixes its batch or leaves other
/// sizes open, beside a SamplesApart, and where the values `wanted` of the first samples have other bits run together
/// than one by one. Errors Interrupted; samples that cannot be read or run give 1.
[[nodiscard]] size_t samples_together(const Graph& graph, std::span<const ValueId> wanted, const DataSource& source);

/// Returns the same for SamplePass::together of one pass that `schedule` makes of the source, where it is long enough
/// to gain more than finding out costs.
[[nodiscard]] size_t samples_together(const Schedule& schedule, const DataSource& source, size_t threads);

/// True when axis 0 of each value counts only samples: results of a joined batch belong to single samples.
/// one, joined  shapes that one sample, and `together` of them, give the values; a value without one is not cut.
[[nodiscard]] bool are_cut_by_sample(std::span<const ValueId> values, const ValueShapes& one, const ValueShapes& joined,
                                     size_t together);

}  // namespace detent
