#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules {

// The rules that more than one engine has, one file each.
extern const Rule kUserChoice;
extern const Rule kMeasuredChoice;
extern const Rule kSignalFrontEnd;
extern const Rule kResidualStream;
extern const Rule kDecoding;
extern const Rule kKnownRanges;
extern const Rule kStates;
extern const Rule kWeightsAlone;
extern const Rule kWeightedOps;
extern const Rule kFusedActivation;
extern const Rule kBatchNorm;
extern const Rule kAttentionAndNorms;
extern const Rule kGraphOutputs;
extern const Rule kEmbeddings;
extern const Rule kFloatWeights;

}  // namespace detent::rules
