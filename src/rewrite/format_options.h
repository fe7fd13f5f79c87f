#pragma once

#include "detent/options/format_options.h"
#include "detent/options/placement_options.h"
#include "place/targets/target.h"
#include "rewrite/rewrite.h"

namespace detent {

/// The user's format options and choice of scales over the target's defaults.
/// Errors  InvalidOption when the target refuses the type of activations or biases, and for options of INT8 beside FP8.
[[nodiscard]] RewriteOptions rewrite_options(const FormatOptions& format, const PlacementOptions& placement,
                                             const Target& target);

/// The placement options with what the format says about them: whether activations are INT8 where the target's are
/// UINT8.
[[nodiscard]] PlacementOptions placement_with(const RewriteOptions& format, PlacementOptions placement,
                                              const Target& target);

}  // namespace detent
