#pragma once

#include <map>

#include "calibrate/calibration.h"
#include "detent/qparams.h"
#include "detent/quantize.h"
#include "evaluate/closing_error.h"
#include "pipeline/setup.h"

namespace detent {

/// What the closing error says of the model: fills the report's verdict. For all but a good one it looks for the values to
/// blame, on a few samples and the float model read anew, and warns in one block.
void add_verdict(QuantizeReport& report, const QuantizeOptions& options, const Setup& setup,
                 const Calibration& calibration, const std::map<ValueId, Range>& ranges,
                 const std::optional<ClosingError>& closing);

}  // namespace detent
