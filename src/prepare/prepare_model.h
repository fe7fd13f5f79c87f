#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "detent/data_source.h"
#include "detent/placement_options.h"
#include "model/model.h"
#include "place/targets/target.h"

namespace detent {

/// Reads a model and inlines its local functions. Errors  those of read_model and inline_functions, after the path.
[[nodiscard]] Model read_runnable_model(const std::filesystem::path& path);

/// Reads a model that is to be quantized, local functions inlined. Errors  InvalidModel, also when it is quantized already.
[[nodiscard]] Model read_float_model(const std::filesystem::path& path);

/// The model's inputs as open_data wants them.
[[nodiscard]] std::vector<InputSpec> input_specs(const Graph& graph);

struct Preparation {
  size_t folded_batchnorms = 0, forwarded_constants = 0;
  int64_t opset_before = 0, opset_after = 0;
  [[nodiscard]] bool changed() const {
    return folded_batchnorms > 0 || forwarded_constants > 0 || opset_before != opset_after;
  }
};

struct PrepareOptions {
  bool half_scales = true;  ///< FP16 values get FP16 scales: the opset becomes 19 at least
};

/// What the placement options ask of the preparation.
[[nodiscard]] inline PrepareOptions prepare_options(const PlacementOptions& placement) {
  return {.half_scales = placement.scales == PlacementOptions::Scales::Fp16};
}

/// Raises the opset to what the target and the scales need, lets readers of Identity(constant) read the constant, and
/// folds BatchNormalization, in place.
/// Errors  Unsupported when a node has no adapter to that opset; the hint says what can be asked for instead.
Preparation prepare_model(Model& model, const Target& target, const PrepareOptions& options = {});

/// What a model says to some inputs: every output that can run (see RunnablePart).
struct NamedOutputs {
  std::vector<std::string> names;
  std::vector<Tensor> tensors;
};
[[nodiscard]] NamedOutputs outputs_of(const Model& model, std::span<const Tensor> inputs);

/// Runs `after` on `inputs` and compares with what the model said before: |a - b| <= 1e-4 of the largest magnitude of the
/// output, 2e-2 for half types, whose every intermediate value is rounded to 11 bits.
/// share  part of the bound that is allowed.
/// The bound is 100 times what folding in double and rounding once to float (2^-24 per weight) was seen to cause.
/// Errors  Internal naming `what` and the output.
void check_same_outputs(const NamedOutputs& before, const Model& after, std::span<const Tensor> inputs,
                        const std::string& what, double share = 1);

/// prepare_model(), checked on `inputs` where it may have changed anything; no inputs -> not checked.
Preparation prepare_checked(Model& model, const Target& target, std::span<const Tensor> inputs,
                            const PrepareOptions& options = {});

}  // namespace detent
