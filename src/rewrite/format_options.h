#pragma once

#include "detent/options/format_options.h"
#include "detent/options/placement_options.h"
#include "place/targets/target.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Returns the user's format options and choice of scales over the target's defaults.
/// Errors  InvalidOption when the target refuses the type of activations or biases, and for options of INT8 with FP8.
[[nodiscard]] RewriteOptions rewrite_options(const FormatOptions& format, const PlacementOptions& placement,
                                             const Target& target);

/// Returns the placement options completed by the format: whether activations are INT8 while the target's are UINT8.
[[nodiscard]] PlacementOptions placement_with(const RewriteOptions& format, PlacementOptions placement,
                                              const Target& target);

}  // namespace detent
