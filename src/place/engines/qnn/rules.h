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

extern const Rule kNodeUnits;
extern const Rule kOneEncoding;
extern const Rule kFixedEncodings;
extern const Rule kNorms;
extern const Rule kIslands;
extern const Rule kMasks;
extern const Rule kFloatIslands;

}  // namespace detent::rules::qnn
