#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::tensorrt_rtx {

extern const Rule kFloatDeconvolution;

}  // namespace detent::rules::tensorrt_rtx
