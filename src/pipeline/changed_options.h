#pragma once

#include <string>

#include "detent/equalize_options.h"
#include "detent/format_options.h"
#include "detent/placement_options.h"
#include "detent/quantize.h"
#include "pipeline/setup.h"

namespace detent {

/// The options of a command that decide what a quantized model is, besides target and calibrator.
struct DecidingOptions {
  const PlacementOptions& placement;
  const FormatOptions& format;
  const EqualizeOptions& equalize;
  Accuracy accuracy = Accuracy::Balanced;
  OutlierPolicy outliers = OutlierPolicy::Clip;
};

/// Those that differ from the target's defaults, as the command line spells them, in an order that is always the same:
/// "concat=inputs; exclude=^head; per-tensor=on". What a table was equalized by
/// counts as asked for, an equalization that changed nothing does not.
[[nodiscard]] std::string changed_options(const DecidingOptions& options, const Setup& setup);

}  // namespace detent
