#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "detent/quantize.h"
#include "pipeline/latency/latency_timer.h"
#include "pipeline/latency/latency_variants.h"
#include "pipeline/parts/chosen.h"
#include "tune/bound_judge.h"

namespace detent {

/// The fastest file within the accuracy.
struct FastestFile {
  LatencyReport report;
  std::optional<LatencyVariant> variant;  ///< other pairs than the attempt's; its options make them by hand
  std::map<ValueId, Range> ranges;        ///< of the variant
  std::filesystem::path without_pairs;    ///< the float or cast file in the timer's folder; empty: the file has pairs
};

/// Looks for the fastest file within the accuracy, with at most 20 calls of the command, 10 where its table knows other
/// networks of the machine; the float model, the cast one and the default file are among them.
///
/// Accuracy  with `judge` the bound holds; otherwise the SQNR on up to 64 calibration samples is at most 1 dB below
///           the default file's. Files beyond are not timed.
/// Choice    that of choose_fastest(): a file counts as faster only beyond the noise of the command.
/// Outcome   the table is extended and written.
/// Interrupted after the default was judged: the fastest file that was checked is written to the output first.
/// Errors    InvalidOption where the engine takes neither the float nor the default file; those of measuring and of the
///           command.
[[nodiscard]] FastestFile find_fastest(const Attempt& attempt, const QuantizeOptions& options, LatencyTimer& timer,
                                       const BoundJudge* judge);

}  // namespace detent
