#pragma once

#include <string_view>

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::onnxruntime {

// Sources of more than one rule.
inline constexpr std::string_view kTriedInOnnxRuntime = "tried in ONNX Runtime 1.30, CPU";

const Rule& layers();
const Rule& activations();
const Rule& elementwise();
const Rule& concat();
const Rule& pooling();
const Rule& copies();
const Rule& float_deconvolution();
const Rule& every_reader();
const Rule& partly_absorbed_clips();
const Rule& half_values();
const Rule& int8_activations();
const Rule& few_channels();
const Rule& wide_activations();

}  // namespace detent::rules::onnxruntime
