#pragma once

#include <string>

#include "detent/reports/bound_report.h"

namespace detent {

/// Returns "drop 0.51 points of top-1, 95 % interval 0.10 to 0.92"; of nats "rise 0.01 nats a token, ...", of the SQNR
/// "95 % interval 35.9 to 36.4 dB". Names the reason where there is no interval.
[[nodiscard]] std::string interval_text(const ScoreReport& score);

/// Returns "holds: drop ..., 95 % interval ..."; of a bound that is not shown also the number of samples that it takes.
[[nodiscard]] std::string outcome_text(const BoundReport& bound);

}  // namespace detent
