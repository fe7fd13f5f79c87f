#pragma once

#include <optional>
#include <span>

#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/reports/equalize_report.h"
#include "equalize/choose_factors.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "observe/calibration_table.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/fold_judge.h"
#include "tune/equalize/request.h"

namespace detent {

/// Chooses the families that are asked for and applies them to `model`, in place.
///
/// auto   Families are chosen by choose_families and judged by CrossFit; the factors of those kept come from all
///        samples. The model as it will be written is then compared with the one without equalization on all samples
///        (accept_change): where it is no better, one family is dropped, or all. Fewer than kFewestToJudge samples ->
///        nothing, and a note.
/// judge  called under auto only.
/// A family whose patch changes an output by more than rounding is left out, and the report has the reason.
[[nodiscard]] EqualizedModel equalize_model(Model& model, const EqualizeRequest& request, const EqualizeData& data,
                                            const FactorOptions& options, const FoldJudge& judge);

/// Applies --equalize, in place. Returns nullopt when it is not asked for.
/// A first pass finds outlier samples (find_outlier_samples). Channels do not follow them unless they are kept; then
/// they are always measured on them. Without pairs only families that are named are applied, and the report says so.
/// Under outliers all data counts, kOutlierCalibrator judges, and nullopt comes back where even_outliers() finds none.
///
/// inputs  one batch
/// all     the calibration data
/// judged  how the compared models are quantized
/// Errors  those of equalize_model
[[nodiscard]] std::optional<EqualizedModel> equalize_as_requested(Model& model, const EqualizeRequest& request,
                                                                  std::span<const Tensor> inputs, const DataSource& all,
                                                                  OutlierPolicy policy, const FactorOptions& options,
                                                                  JudgeOptions judged);

/// Applies the equalization with which the table was measured to the prepared model. The report names the values and
/// their families; nothing is measured again. nullopt when the table was measured without one.
/// Errors  TableMismatch when `requested` (Unset takes the table's) asks for another one; those of apply_equalization.
[[nodiscard]] std::optional<EqualizedModel> equalize_by_table(const CalibrationTable& table, Model& model,
                                                              const EqualizeRequest& requested,
                                                              std::span<const Tensor> inputs);

}  // namespace detent
