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

/// Takes the steps that every attempt begins with (kSteps in attempt.cpp): measures the plan's values and chooses their
/// ranges. Balanced and Best keep layers float that ruin the network.
/// Errors  those of measure(), choose() and choose_beside_float()
[[nodiscard]] Attempt begin_attempt(Prepared prepared, const QuantizeOptions& given);

/// Takes the other steps: what the options and the level ask for beyond the start. Each keeps what it found where
/// accept_change() finds no better. Memory  the start's model is not held while another is made.
/// Errors  those of make(), measure(), choose_beside_float(), improve() and judge_change()
void improve_attempt(Attempt& attempt, const QuantizeOptions& given);

}  // namespace detent
