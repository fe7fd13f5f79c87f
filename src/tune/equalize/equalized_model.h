#pragma once

#include <optional>
#include <span>

#include "detent/calibrator.h"
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

/// What an equalization is measured on. Looks at things that must outlive it.
struct EqualizeSamples {
  std::span<const Tensor> inputs;  ///< of one batch
  const DataSource& source;        ///< that the model is calibrated with
  OutlierPolicy outliers = OutlierPolicy::Clip;
};

/// --absorb-bias, then --equalize, which then finds shorter ranges; in place. nullopt when neither is asked for.
/// A first pass finds the samples that alone set ranges (find_outlier_samples): ranges do not follow them unless they are kept, so
/// neither do the channels. Where they are kept, channels are always measured on them.
/// Where no value carries a pair, nothing is measured or changed but for families that are named; the report says so.
/// judged  how the models are quantized that decide. Errors  those of absorb_biases and equalize_model.
[[nodiscard]] std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                                  const EqualizeSamples& samples,
                                                                  const FactorOptions& options, JudgeOptions judged);

/// The float model that a quantized one is compared with.
[[nodiscard]] const Model& reference_of(const Model& model, const std::optional<EqualizedModel>& evened);

}  // namespace detent
