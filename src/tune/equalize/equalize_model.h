#pragma once

#include <span>
#include <vector>

#include "detent/data_source.h"
#include "detent/equalize_report.h"
#include "detent/run_settings.h"
#include "equalize/choose_factors.h"
#include "equalize/equalization.h"
#include "model/model.h"
#include "tune/equalize/fold_scores.h"
#include "tune/equalize/request.h"

namespace detent {

/// `auto` keeps nothing on fewer samples: three parts of five images of text_ppocrv3_det all say that a family gains that loses 1 to 3 dB on
/// five others.
inline constexpr size_t kFewestToJudge = 8;

struct EqualizeOutcome {
  Equalization equalization;
  EqualizeReport report;
};

/// The data that equalization looks at. Looks at things that must outlive it.
struct EqualizeData {
  std::span<const Tensor> inputs;  ///< of one batch: shapes come from it, and every patch is checked on it
  const DataSource& source;  ///< channels are measured on 256 samples of it, those whose names have the smallest hash
  const RunSettings& settings;
};

/// Chooses the families that are asked for and applies them to `model`, in place.
///
/// auto    chosen by choose_families, judged by CrossFit; the factors of what is kept are then chosen from all samples. Nothing and a note
///         where there are fewer than kFewestToJudge.
/// judge   called under auto only.
[[nodiscard]] EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request, const EqualizeData& data,
                                             const FactorOptions& options, const FoldJudge& judge);

}  // namespace detent
