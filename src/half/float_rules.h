#pragma once

#include <span>

#include "half/float_draft.h"

namespace detent {

/// Keeps nodes in FP32 that a 16-bit type would ruin.
using FloatRule = void (*)(FloatDraft& draft);

/// In the order they speak; of several reasons the first is named.
[[nodiscard]] std::span<const FloatRule> float_rules();

namespace half {

/// Operators that have no 16-bit form, hold graphs, or make floats of a type of their own; values that If, Loop and
/// Scan bodies read.
void operators(FloatDraft& draft);
/// Values that leave the type's range with headroom: what makes and reads them.
void overflow(FloatDraft& draft);
/// Sums inside reductions, which an engine may hold in the type of their operands.
void inner_sums(FloatDraft& draft);
/// Values that the type cannot tell apart, and those that become 0 in front of a division, root or logarithm.
void rounding(FloatDraft& draft);
/// Constants that become infinite, vanish, or lose what tells them apart.
void constants(FloatDraft& draft);
/// Normalizations written out as primitives: all of one stays FP32 when a part does.
void normalizations(FloatDraft& draft);
/// Copies between nodes that stay FP32: a cast before and one behind would gain nothing.
void between(FloatDraft& draft);

}  // namespace half
}  // namespace detent
