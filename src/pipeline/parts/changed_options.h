#pragma once

#include <string>

#include "detent/options/accuracy_bound.h"
#include "detent/options/equalize_options.h"
#include "detent/options/format_options.h"
#include "detent/options/placement_options.h"
#include "detent/quantize.h"
#include "pipeline/parts/prepared.h"

namespace detent {

/// What a command was asked for that decides what a quantized model is, besides target and calibrator, and what came of
/// it.
struct DecidingOptions {
  const PlacementOptions& placement;
  const FormatOptions& format;
  const EqualizeOptions& equalize;
  Accuracy accuracy = Accuracy::Balanced;
  OutlierPolicy outliers = OutlierPolicy::Clip;
  bool biases_corrected = false;       ///< the corrected biases were kept
  const BoundReport* bound = nullptr;  ///< null: none was asked for
};

/// Those that differ from the target's defaults, as the command line spells them, in an order that is always the same:
/// "concat=inputs; exclude=^head; per-tensor=on". Each can be given again behind two dashes, but for the file of
/// "override=FILE of 2 values". What a table was equalized by counts as asked for. What changed nothing is left out: an
/// equalization, a correction of biases, a bound that all layers in INT8 keep. "accuracy=best" stands for all that it
/// turns on, and is left out where there was no data to do it with.
[[nodiscard]] std::string changed_options(const DecidingOptions& options, const Prepared& setup);

}  // namespace detent
