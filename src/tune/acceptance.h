#pragma once

#include <optional>
#include <span>
#include <string>

#include "detent/reports/error_report.h"

namespace detent {

/// Why a change that makes something no better is not kept: "0.90 dB lower", "no higher" where the fall would not show.
[[nodiscard]] std::string fall_text(double before_db, double after_db);

/// Mean SQNR of the worst tenth of the samples, at least one. Empty -> 0.
[[nodiscard]] double worst_tenth_db(std::span<const double> samples_db);

/// Compares a model with a change and without it, both as they would be written, by their SQNR on the same samples
/// (sample_scores). The change is kept when score_db() does not fall, nor worst_tenth_db() by more than half a dB,
/// nor the share of decisions that are as in FP32 where it is given: a mean may rise while the samples that were worst
/// are lost. A change that is not kept has the first of these reasons in words.
/// Empty   no samples: not kept.
[[nodiscard]] AcceptanceReport accept_change(std::span<const double> before, std::span<const double> after,
                                             std::optional<double> agreement_before = std::nullopt,
                                             std::optional<double> agreement_after = std::nullopt);

}  // namespace detent
