#pragma once

#include <string_view>

#include "place/draft/draft.h"
#include "place/plan/rule.h"

namespace detent::rules::qnn {

// Sources of more than one rule.
inline constexpr std::string_view kQnnSelectors =
    "github.com/microsoft/onnxruntime, core/optimizer/qdq_transformer/selectors_actions/qdq_selectors.cc; November "
    "2026";
inline constexpr std::string_view kQnnConfig =
    "github.com/microsoft/onnxruntime, python/tools/quantization/execution_providers/qnn/quant_config.py; AIMET, "
    "htp_quantsim_config_v81.json; November 2026";
inline constexpr std::string_view kQnnBuilders =
    "github.com/microsoft/onnxruntime, core/providers/qnn/builder/opbuilder; November 2026";

const Rule& node_units();
const Rule& one_encoding();
const Rule& fixed_encodings();
const Rule& norms();
const Rule& islands();
const Rule& masks();
const Rule& masked_scores();
const Rule& float_islands();

}  // namespace detent::rules::qnn
