#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detent/base/data_source.h"
#include "pipeline/parts/chosen.h"

namespace detent {

/// Returns the regular expression (ECMAScript) for --exclude that matches these nodes alone.
[[nodiscard]] std::string exclude_pattern(const std::vector<std::string>& nodes);

/// Finds what helps a model of which no output could be compared, because quantized nodes decide its extents: with
/// these nodes float, numbers decide extents as they do in FP32. It is tried on the samples.
struct ExtentsCure {
  std::string option;  ///< "--exclude '^(dp1|dp2)$' (...: SQNR 31.3 dB)"; empty: it does not help
  std::string caveat;  ///< a sentence that says why not; empty where it helps
};

/// prepared  with its model
/// Errors  those of keep_outputs, make_qdq_patch and measure_closing_error.
[[nodiscard]] ExtentsCure find_extents_cure(const Prepared& prepared, const Chosen& chosen, const DataSource& samples,
                                            const RunSettings& run);

}  // namespace detent
