#pragma once

#include "place/draft/draft.h"
#include "place/engines/dla/dla_layers.h"
#include "place/plan/rule.h"

namespace detent::rules::dla {

const Rule& layers();
const Rule& scales();

}  // namespace detent::rules::dla
