#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::onnxruntime {

extern const Rule kLayers;
extern const Rule kActivations;
extern const Rule kElementwise;
extern const Rule kConcat;
extern const Rule kPooling;
extern const Rule kCopies;
extern const Rule kFloatDeconvolution;
extern const Rule kEveryReader;
extern const Rule kPartlyAbsorbedClips;
extern const Rule kHalfValues;
extern const Rule kInt8Activations;
extern const Rule kFewChannels;
extern const Rule kWideActivations;
extern const Rule kRuinedProducts;
extern const Rule kOneRowProducts;
extern const Rule kDynamicProducts;
extern const Rule kDynamicLstm;

}  // namespace detent::rules::onnxruntime
