#pragma once

#include "detent/options/float_types.h"
#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/model.h"

namespace detent {

/// Returns the 16-bit format of an option.
/// Errors  Internal for Fp32.
[[nodiscard]] FloatFormat float_format(FloatType type);

/// Makes the nodes of a float model compute in `format` where `reaches` allow it. Value names stay, with other types;
/// graph inputs and outputs keep their types.
/// forced  nodes that stay FP32 whatever their values reach
/// Errors  Internal when the graph would become invalid.
FloatReport make_half(Model& model, const FloatFormat& format, const ValueReaches& reaches,
                      const ForcedFloat32& forced = {});

}  // namespace detent
