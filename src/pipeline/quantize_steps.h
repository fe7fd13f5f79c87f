#pragma once

#include <filesystem>
#include <optional>

#include "detent/quantize.h"
#include "pipeline/latency/latency_timer.h"
#include "pipeline/parts/accuracy_level.h"
#include "pipeline/parts/chosen.h"
#include "tune/bound_judge.h"

namespace detent {

/// The work of `quantize` between the plan and the file. All that it points at must outlive it.
struct QuantizeWork {
  QuantizeOptions given;  ///< by the user; the fastest file is that of others
  QuantizeOptions options = with_level(given);
  Attempt attempt;
  const BoundJudge* judge = nullptr;  ///< of a bound or of a task; nullptr: neither is given
  LatencyTimer* timer = nullptr;      ///< of a search by latency; nullptr: none is asked for

  std::optional<Chosen> start = {};  ///< the choice when the improvements began
  std::optional<BoundReport> bound = {};
  std::optional<LatencyReport> latency = {};
  std::filesystem::path without_pairs = {};  ///< the float or cast file in the timer's folder that is to be written

  EarlyEndReport ended = {};  ///< with the names of the steps that an early end left out

  std::optional<InputCheckReport> input_check = {};
  [[nodiscard]] bool has_bound() const { return judge && judge->has_bound(); }
  [[nodiscard]] bool scores_alone() const { return judge && !judge->has_bound(); }
};

/// True where `--equalize auto` waits for the layers that ruin the network: families that are judged on a ruined
/// network say nothing. The recipe begins with what the default does.
/// options  by with_level()
[[nodiscard]] bool equalizes_later(const QuantizeOptions& options);

/// Takes the steps of the options' level (kSteps in quantize_steps.cpp): plan -> ranges, constants, float layers, the
/// fastest pairs. Each begins with the result of the step before, and keeps that where it finds no better.
/// Errors  those of the steps.
void take_steps(QuantizeWork& work);

}  // namespace detent
