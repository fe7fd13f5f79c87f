#pragma once

#include <string_view>

#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::tensorrt {

inline constexpr std::string_view kErrors =
    "integer-operators scale-not-constant scale-not-positive missing-zero-point uint8-codes int16-codes "
    "fp8-refused-by-engine nonzero-zero-point per-channel-activation missing-axis wrong-axis int32-bias "
    "int8-weight-initializer q-and-dq-differ q-without-dq weight-without-dq blocked-axis odd-nibbles "
    "scale-type-mixed operator-not-parsed";
inline constexpr std::string_view kWarnings =
    "uint8-zero-point codes-not-8-bit fp8-on-float-operator cast-between-q-and-dq operator-between-q-and-dq "
    "deconvolution-3d-not-closed "
    "batchnorm-behind-deconvolution skip-not-quantized pair-between-conv-and-add pair-between-conv-and-activation "
    "concat-scales-differ coarse-scores copy-scales-differ float-island attention-not-fused no-int8-kernel "
    "layer-left-float cast-between-pair-and-kernel overflow-in-half vanishing-constant float32-rest";
inline constexpr std::string_view kNotes =
    "fp16-scale-below-opset-19 layer-float-on-purpose layer-float-by-rule attention-order product-left-float "
    "concat-input-from-float leaky-relu-not-closed opset-too-new";
inline constexpr std::string_view kAbsent = "bias-scale saturates-without-vnni";

/// As LintEngine::belongs_in_int8.
[[nodiscard]] bool belongs_in_int8(const LintView& view, const EdgeDecision& edge);

}  // namespace detent::tensorrt
