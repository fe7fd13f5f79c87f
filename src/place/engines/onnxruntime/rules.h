#pragma once

#include <string_view>

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::onnxruntime {

// Sources of more than one rule.
inline constexpr std::string_view kTriedInOnnxRuntime = "tried in ONNX Runtime 1.30, CPU";

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
extern const Rule kDynamicProducts;

}  // namespace detent::rules::onnxruntime
