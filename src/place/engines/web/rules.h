#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::web {

extern const Rule kFasterKernels;

}  // namespace detent::rules::web
