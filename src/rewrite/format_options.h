#pragma once

#include "detent/format_options.h"
#include "detent/placement_options.h"
#include "place/targets/target.h"
#include "rewrite/rewrite.h"

namespace detent {

/// The user's format options and choice of scales over the target's defaults.
/// Errors  InvalidOption when the target refuses the type of activations or biases, and for options of INT8 beside FP8.
[[nodiscard]] RewriteOptions rewrite_options(const FormatOptions& format, const PlacementOptions& placement,
                                             const Target& target);

}  // namespace detent
