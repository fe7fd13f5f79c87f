#pragma once

#include <string>

#include "detent/data_source.h"
#include "detent/run_settings.h"
#include "model/model.h"

namespace detent {

/// SQNR of the worst output with the nearest codes and with others, in dB.
struct RoundingJudgement {
  double before_db = 0, after_db = 0;
  bool kept = false;   ///< it rises
  std::string reason;  ///< a clause: why not
};

/// Runs both variants of the float model on the samples. Errors  those of running; Interrupted.
[[nodiscard]] RoundingJudgement judge_rounding(const Model& model, Model nearest, Model rounded,
                                               const DataSource& samples, const RunSettings& settings);

}  // namespace detent
