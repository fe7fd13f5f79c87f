#pragma once

#include "detent/quantize.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// One way to quantize a model: its plan, what was measured, and what was chosen.
struct Attempt {
  Prepared prepared;
  Measured measured = {};
  Chosen chosen = {};
};

/// `options` by with_level(). True where `--equalize auto` waits for the layers that ruin the network: families that
/// are judged on a ruined network say nothing. The recipe begins with what the default does.
[[nodiscard]] bool equalizes_later(const QuantizeOptions& options);

/// Measures and chooses as the level does: Balanced and Best keep layers float that ruin the network. The effort is
/// Balanced's, so that Best begins with the default's result.
/// Errors  those of measure(), choose() and choose_beside_float()
[[nodiscard]] Attempt begin_attempt(Prepared prepared, const QuantizeOptions& given);

/// Tries what the options ask for beyond the start: `--equalize auto`, beside the layers that the start keeps float,
/// and Best's thorough choice of a calibrator. Keeps the start where accept_change() finds no better. Memory  the
/// start's model is not held while the other is made Errors  those of make(), measure(), choose_beside_float() and
/// judge_change()
[[nodiscard]] Attempt widen_attempt(Attempt start, const QuantizeOptions& given);

/// Improves the choice (improve()), for Best only where the whole is no worse than its start.
/// Errors  those of improve() and judge_change()
void improve_attempt(Attempt& attempt, const QuantizeOptions& given);

}  // namespace detent
