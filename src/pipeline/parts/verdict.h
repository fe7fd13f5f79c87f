#pragma once

#include <map>

#include "detent/base/qparams.h"
#include "detent/quantize.h"
#include "evaluate/closing_error.h"
#include "evaluate/judge.h"
#include "model/graph_patch.h"
#include "pipeline/parts/chosen.h"
#include "pipeline/parts/saturation.h"

namespace detent {

/// What a verdict and its blame rest on. Looks at things that must outlive it.
struct VerdictGrounds {
  WorseArithmetic worse;                ///< its closing error; absent: not measured
  const DataSource* samples = nullptr;  ///< that it was measured on; there are some where there is a closing error
  size_t calibrated_with = 0;           ///< how many of them were calibrated with
  const Chosen& chosen;
};

/// What a closing error says to a judge; nothing where it was not measured. What else a judge asks is left to the
/// caller.
[[nodiscard]] JudgedFacts judged_facts(const std::optional<ClosingError>& closing);

/// What the closing error says of the model: fills the report's verdict. For all but a good one it looks for the values
/// to blame, on a few samples and the float model read anew, and warns in one block. `prepared` is used up, its model
/// was taken before.
void add_verdict(QuantizeReport& report, const QuantizeOptions& options, Prepared& prepared,
                 const VerdictGrounds& grounds);

}  // namespace detent
