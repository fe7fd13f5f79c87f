#pragma once

#include <optional>
#include <span>

#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "equalize/choose_factors.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "tune/equalize/equalize_model.h"
#include "tune/equalize/fold_judge.h"
#include "tune/equalize/request.h"

namespace detent {

/// What an equalization is measured on. Looks at things that must outlive it.
struct EqualizeSamples {
  std::span<const Tensor> inputs;  ///< of one batch
  const DataSource& source;        ///< that the model is calibrated with
  OutlierPolicy outliers = OutlierPolicy::Clip;
};

/// Applies --equalize, in place. Returns nullopt when it is not asked for.
/// A first pass finds the samples that alone set ranges (find_outlier_samples): ranges do not follow them unless they
/// are kept, so neither do the channels. Where they are kept, channels are always measured on them. Where no value
/// carries a pair, nothing is measured or changed but for families that are named; the report says so. judged  how the
/// models are quantized that decide.
/// Errors  those of equalize_model.
[[nodiscard]] std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                                  const EqualizeSamples& samples,
                                                                  const FactorOptions& options, JudgeOptions judged);

/// Does to the prepared model the equalization with which the table was measured. The report names
/// the values and their families; nothing is measured again. nullopt when the table was measured without one.
/// Errors  TableMismatch when `requested` (Unset takes the table's) asks for something else; those of
/// apply_equalization.
[[nodiscard]] std::optional<EqualizedModel> equalize_by_table(const CalibrationTable& table, Model& model,
                                                              const EqualizeRequest& requested,
                                                              std::span<const Tensor> inputs);

}  // namespace detent
