#pragma once

#include "place/draft/draft.h"
#include "place/engines/dla/dla_layers.h"
#include "place/plan/rule.h"

namespace detent::rules::dla {

extern const Rule kLayers;
extern const Rule kScales;

}  // namespace detent::rules::dla
