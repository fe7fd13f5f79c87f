#pragma once

#include <set>
#include <string>
#include <vector>

#include "calibrate/range_overrides.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "model/model.h"
#include "place/targets/target.h"
#include "rewrite/rewrite.h"
#include "tune/equalize/fold_scores.h"

namespace detent {

/// How the models are quantized that `--equalize auto` compares. Looks at things that must outlive the judge.
struct JudgeOptions {
  const Target& target;
  const PlacementOptions& placement;
  RewriteOptions format;
  const RangeOverrides& overrides;
  std::vector<std::string> calibrators;  ///< specs; "auto" chooses anew for each model, on `fit`
  const RunSettings& run;
  std::set<std::string> clipped_samples = {};  ///< see RangeChoice
};

/// Quantizes each model with each calibrator, with ranges of `fit`, and compares it with `reference` on `held_out`. The
/// float model runs once on each sample; where a weight serves few positions samples run together (samples_together).
/// Errors (of a scorer)  InvalidOption when no output can be compared; those of JudgedBatches and evaluate_on_batches.
[[nodiscard]] FoldJudge make_fold_judge(const Model& reference, JudgeOptions options);

}  // namespace detent
