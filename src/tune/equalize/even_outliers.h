#pragma once

#include <optional>
#include <string_view>

#include "equalize/choose_factors.h"
#include "model/model.h"
#include "run/sample_counts.h"
#include "tune/equalize/equalized_model.h"
#include "tune/equalize/fold_judge.h"

namespace detent {

/// Largest magnitude of a channel over the median from which one scale leaves the usual channels too few steps:
/// two of eight bits are lost. Trained networks without outliers stay below.
inline constexpr double kOutlierImbalance = 4;
/// Quantizes the models that are judged: it does well for most networks, and measuring each would take long.
inline constexpr std::string_view kOutlierCalibrator = "mse";

/// Evens out channels of activations in front of MatMul and Gemm that are kOutlierImbalance times as large as the
/// others, in place: outputs of normalizations, gated products, attention's values. Other values stay as they are.
///
/// Looked for  on up to `samples` samples. Without such channels nothing else is measured and nullopt comes back.
/// Judged      by `judge` on as many others, which neither factors nor ranges come from: all such values with two
///             exponents, then the families one by one. Kept where the SQNR of the outputs surely rises (its mean over
///             the samples less the standard error of the difference) by 0.1 dB, and accept_change() agrees.
/// Fewer than kFewestToJudge samples -> nullopt.
/// Errors      those of Equalizer and of `judge`.
[[nodiscard]] std::optional<EqualizedModel> even_outliers(Model& model, const EqualizeData& data,
                                                          const FactorOptions& options, const FoldJudge& judge,
                                                          size_t samples = kProbingSamples);

}  // namespace detent
