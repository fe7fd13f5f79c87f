#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::rknn {

extern const Rule kLayers;
extern const Rule kOneScale;
extern const Rule kObstacles;

}  // namespace detent::rules::rknn
