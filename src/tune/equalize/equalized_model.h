#pragma once

#include <optional>
#include <span>

#include "detent/data_source.h"
#include "equalize/choose_factors.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "tune/equalize/equalize_model.h"
#include "tune/equalize/fold_judge.h"
#include "tune/equalize/request.h"

namespace detent {

/// The equalization of a model before it is calibrated, and its report.
struct EqualizedModel {
  Equalization equalization;
  EqualizeReport report;
  /// As it was, where biases were absorbed: that is exact on data like those seen, so errors are measured against this one.
  std::optional<Model> original;
};

/// --absorb-bias, then --equalize, which then finds shorter ranges; in place. nullopt when neither is asked for.
/// judged  how the models are quantized that decide. Errors  those of absorb_biases and equalize_model.
[[nodiscard]] std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                                  std::span<const Tensor> inputs,
                                                                  const DataSource& source,
                                                                  const FactorOptions& options,
                                                                  const JudgeOptions& judged);

/// The float model that a quantized one is compared with.
[[nodiscard]] const Model& reference_of(const Model& model, const std::optional<EqualizedModel>& evened);

}  // namespace detent
