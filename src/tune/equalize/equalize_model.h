#pragma once

#include <span>
#include <vector>

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "detent/reports/equalize_report.h"
#include "equalize/choose_factors.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "tune/equalize/equalize_data.h"
#include "tune/equalize/fold_scores.h"
#include "tune/equalize/request.h"

namespace detent {

/// `auto` keeps nothing on fewer samples: three parts of five images of text_ppocrv3_det all say that a family gains
/// that loses 1 to 3 dB on five others.
inline constexpr size_t kFewestToJudge = 8;

/// The equalization of a model before it is calibrated, and its report.
struct EqualizedModel {
  Equalization equalization;
  EqualizeReport report;
};

/// Chooses the families that are asked for and applies them to `model`, in place.
///
/// auto    chosen by choose_families, judged by CrossFit; the factors of what is kept are then chosen from all samples.
/// Then the model as
///         it will be written is measured beside the model without equalization (accept_change), on all samples: what
///         is no better loses a family, or all. Nothing and a note where there are fewer than kFewestToJudge.
/// judge   called under auto only.
/// A family whose patch changes an output by more than rounding is left out, and the report has the reason:
/// equalization is exact.
[[nodiscard]] EqualizedModel equalize_model(Model& model, const EqualizeRequest& request, const EqualizeData& data,
                                            const FactorOptions& options, const FoldJudge& judge);

}  // namespace detent
