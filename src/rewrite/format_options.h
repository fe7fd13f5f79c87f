#pragma once

#include "detent/options/format_options.h"
#include "place/engines/target.h"
#include "place/plan/placement_request.h"
#include "rewrite/rewrite.h"

namespace detent {

/// Returns the user's format options and choice of scales over the target's defaults.
/// Errors  InvalidOption when the target refuses the type of activations or biases, and for options of integers with
///         FP8.
[[nodiscard]] RewriteOptions rewrite_options(const FormatOptions& format, const PlacementRequest& placement,
                                             const Target& target);

/// Returns whether scales at run time are another form: the target has kernels for them, and nothing that the user
/// chose goes without.
[[nodiscard]] bool may_be_dynamic(const FormatOptions& format, const PlacementRequest& placement, const Target& target);

/// Returns the placement options completed by the format: whether activations are INT8 while the target's are
/// UINT8, and for 16-bit codes type A16W8 and FP32 scales: an FP16 number is too coarse or too large for their step.
/// FP32 scales also for a target that takes no others.
[[nodiscard]] PlacementRequest placement_with(const RewriteOptions& format, PlacementRequest placement,
                                              const Target& target);

/// Returns what happens to 16-bit codes on a target that takes them and has no kernels for them; "" otherwise.
[[nodiscard]] std::string wide_codes_warning(const RewriteOptions& format, const PlacementRequest& placement,
                                             const Target& target);

}  // namespace detent
