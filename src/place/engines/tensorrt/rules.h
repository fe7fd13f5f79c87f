#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::tensorrt {

extern const Rule kResidualAdd;
extern const Rule kUnfusedActivations;
extern const Rule kConcat;
extern const Rule kDeconvolutionActivation;
extern const Rule kCommutingOps;
extern const Rule kPoolingAndElementwise;
extern const Rule kSmallLayers;
extern const Rule kFloatKernels;
extern const Rule kCostlyRegions;
extern const Rule kFp8Layers;
extern const Rule kFusedAttention;

}  // namespace detent::rules::tensorrt
