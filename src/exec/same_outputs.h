#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/model.h"

namespace detent {

/// The outputs of a model on some inputs: every output that can run (see RunnablePart).
struct NamedOutputs {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
  bool half = false;  ///< some value of the model has a 16-bit float type
};
/// Runs the model and returns its outputs.
[[nodiscard]] NamedOutputs outputs_of(const Model& model, std::span<const Tensor> inputs);

/// An output that differs.
struct OutputChange {
  std::string output;
  std::string what;  ///< "changed output 'y' by 0.1, allowed is 1e-05"
};

/// Runs `after` on `inputs` and returns the first output that differs from `before` by more than rounding:
/// |a - b| <= 1e-4 of the largest magnitude of the output, 2e-2 where the model has values of half types, which
/// are rounded to 11 bits. The bound is 100 times the change that folding in double and rounding once to float (2^-24
/// per weight) causes. Elements that are NaN before are left out; elements that become NaN or infinite differ. nullopt
/// when all outputs are the same. share   part of the bound that is allowed. Errors  those of running.
[[nodiscard]] std::optional<OutputChange> changed_output(const NamedOutputs& before, const Model& after,
                                                         std::span<const Tensor> inputs, double share = 1);

/// Checks by changed_output() where a change is a defect of Detent. Errors  Internal naming `surgery` and the output.
void check_same_outputs(const NamedOutputs& before, const Model& after, std::span<const Tensor> inputs,
                        const std::string& surgery);

}  // namespace detent
