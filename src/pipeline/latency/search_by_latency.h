#pragma once

#include "detent/quantize.h"
#include "pipeline/latency/latency_timer.h"
#include "pipeline/parts/attempt.h"
#include "tune/bound_judge.h"

namespace detent {

/// Looks for the fastest file within the accuracy, with at most 20 calls of the command, 10 where its table knows other
/// networks of the machine; the float model, the cast one and the default file are among them.
///
/// Accuracy  with `judge` the bound holds; otherwise the SQNR on up to 64 calibration samples is at most 1 dB below
///           the default file's. Files beyond are not timed.
/// Choice    a file counts as faster only beyond the noise of the command. Among equals the default is taken, then
///           other pairs, then the float model.
/// Outcome   the attempt becomes that of the chosen pairs, and `options` those that make them by hand;
///           LatencyTimer::chosen is set where the file has none. The table is extended and written.
/// Interrupted after the default was judged: the fastest file that was checked is written to the output first.
/// Errors    InvalidOption where the engine takes neither the float nor the default file; those of measuring and of the
///           command.
[[nodiscard]] LatencyReport find_fastest(Attempt& attempt, QuantizeOptions& options, LatencyTimer& timer,
                                         const BoundJudge* judge);

}  // namespace detent
