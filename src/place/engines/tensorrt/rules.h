#pragma once

#include "place/draft/draft.h"
#include "place/plan/rule.h"
#include "place/rules/sources.h"

namespace detent::rules::tensorrt {

const Rule& residual_add();
const Rule& unfused_activations();
const Rule& concat();
const Rule& deconvolution_activation();
const Rule& commuting_ops();
const Rule& pooling_and_elementwise();
const Rule& small_layers();
const Rule& fp8_layers();
const Rule& fused_attention();

}  // namespace detent::rules::tensorrt
