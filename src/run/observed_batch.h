#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/executor.h"
#include "run/padding.h"
#include "run/sample_axes.h"

namespace detent {

/// Sees the values of a batch, and how they belong to its samples.
class SampleObserver {
 public:
  virtual ~SampleObserver() = default;
  /// where    how the samples lie in the tensor.
  /// counted  by element: 0 at padding; the tensor is plain then. Empty: all count.
  virtual void observe(ValueId value, const Tensor& tensor, const SampleAxis& where,
                       std::span<const uint8_t> counted) = 0;
};

/// Runs a batch and shows its values without their padding. Padding cannot be told from content in a value where the
/// samples are not found: such a value is shown from a second run, in which content stands in the place of padding.
/// Errors  those of stack_samples and Executor::run.
void run_observed(Executor& executor, std::vector<Sample>&& batch, const SampleAxes& axes, SampleObserver& observer);

}  // namespace detent
