#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::webgpu {

extern const Rule kFloatKernels;

}  // namespace detent::rules::webgpu
