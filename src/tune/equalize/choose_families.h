#pragma once

#include <functional>
#include <span>
#include <vector>

#include "detent/reports/equalize_report.h"
#include "tune/equalize/fold_scores.h"
#include "tune/equalize/request.h"

namespace detent {

/// How good the quantized model is with each list of items. An empty list is the model without equalization.
struct EqualizeScores {
  size_t parts = 1;  ///< of the data
  /// [list][calibrator] on one part; every list is judged on a part once at most.
  std::function<std::vector<std::vector<double>>(std::span<const std::vector<EqualizeItem>> lists, size_t part)>
      on_part;
};

/// `--equalize auto`: forward selection. Of the families not kept yet, each on top of those kept, the one that gains
/// most is kept next, until none gains. Alpha is the best of 0.5, 0.75 and 1 in the first round and stays. Of two parts
/// the sure gain is the smaller one: an alpha that gains less on the first than another does surely is not judged on
/// the second.
///
/// Gain  mean over calibrators and parts, in dB, less its standard error over the parts: what gains on one part and
/// loses on
///       another is not known to gain. Less than 0.1 is not worth a change of the model. No calibrator may end up more
///       than 0.1 dB below where it is without equalization, half of what users are promised.
/// report  with a line for each of kEqualizeFamilies, in that order; gets what was measured. A family with a reason
/// already is left out. Returns items in the order of kEqualizeFamilies; none where no family has a group (nothing is
/// measured then).
[[nodiscard]] std::vector<EqualizeItem> choose_families(const EqualizeScores& scores_of, EqualizeReport& report);

}  // namespace detent
