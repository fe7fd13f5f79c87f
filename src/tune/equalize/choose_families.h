#pragma once

#include <functional>
#include <span>
#include <vector>

#include "detent/reports/equalize_report.h"
#include "tune/equalize/fold_judge.h"
#include "tune/equalize/request.h"

namespace detent {

/// Scores of the quantized model with lists of items. An empty list is the model without equalization.
struct EqualizeScores {
  size_t parts = 1;  ///< of the data
  /// Returns [list][calibrator] on one part; a list is judged at most once on a part.
  std::function<std::vector<std::vector<double>>(std::span<const std::vector<EqualizeItem>> lists, size_t part)>
      on_part;
};

/// Selects families for `--equalize auto` by forward selection: adds the family that gains most on top of those kept,
/// until none gains. Alpha is the best of 0.5, 0.75 and 1 in the first round and stays. An alpha whose gain on the
/// first of two parts is below another's sure gain is not judged on the second.
///
/// Gain    mean over calibrators and parts in dB, less its standard error over the parts: at least 0.1. No calibrator
///         may end more than 0.1 dB below no equalization.
/// report  has a line for each of kEqualizeFamilies in that order and gets the measurements. A family whose line has a
///         reason already is left out.
/// Returns items in the order of kEqualizeFamilies. No family has a group -> none, and nothing is measured.
[[nodiscard]] std::vector<EqualizeItem> choose_families(const EqualizeScores& scores_of, EqualizeReport& report);

}  // namespace detent
