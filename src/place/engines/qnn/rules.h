#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::qnn {

extern const Rule kNodeUnits;
extern const Rule kOneEncoding;
extern const Rule kFixedEncodings;
extern const Rule kNorms;
extern const Rule kIslands;
extern const Rule kMasks;
extern const Rule kFloatIslands;

}  // namespace detent::rules::qnn
