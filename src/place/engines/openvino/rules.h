#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::openvino {

extern const Rule kElementwise;
extern const Rule kCopies;
extern const Rule kSymmetric;
extern const Rule kFloatLayers;
extern const Rule kOpenAxes;

}  // namespace detent::rules::openvino
