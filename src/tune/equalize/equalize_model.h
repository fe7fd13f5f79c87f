#pragma once

#include <span>
#include <vector>

#include "detent/detent.h"
#include "tune/equalize/cross_fit.h"

namespace detent {

/// `auto` keeps nothing on fewer samples: three parts of five images of text_ppocrv3_det all say that a family gains that loses 1 to 3 dB on
/// five others.
inline constexpr size_t kFewestToJudge = 8;

struct EqualizeOutcome {
  Equalization equalization;
  EqualizeReport report;
};

/// Chooses what is asked for and applies it to `model`, in place.
///
/// auto    chosen by choose_families, judged by CrossFit; the factors of what is kept are then chosen from all samples. Nothing and a note
///         where there are fewer than kFewestToJudge.
/// source  the calibration data: channels are measured on 256 samples of it, those whose names have the smallest hash.
/// judge   called under auto only.
[[nodiscard]] EqualizeOutcome equalize_model(Model& model, const EqualizeRequest& request,
                                             std::span<const Tensor> inputs, const DataSource& source,
                                             const RunSettings& settings, const FactorOptions& options,
                                             const FoldJudge& judge);

}  // namespace detent
