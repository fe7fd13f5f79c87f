#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exec/executor.h"
#include "run/padding.h"
#include "run/sample_axes.h"

namespace detent {

/// A receiver of the values of a batch and of the place of its samples in them.
class SampleObserver {
 public:
  virtual ~SampleObserver() = default;
  /// Receives a value.
  /// where    how the samples lie in the tensor.
  /// counted  by element: 0 at padding; the tensor is plain then. Empty: all count.
  virtual void observe(ValueId value, const Tensor& tensor, const SampleAxis& where,
                       std::span<const uint8_t> counted) = 0;
};

/// Runs a batch and shows its values without their padding. A value in which the samples are not found, so that padding
/// looks like content, is shown from a second run, in which content replaces padding.
/// Errors  those of stack_samples and Executor::run.
void run_observed(Executor& executor, std::vector<Sample>&& batch, const SampleAxes& axes, SampleObserver& observer);

}  // namespace detent
