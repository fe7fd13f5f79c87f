#pragma once

#include <string_view>

#include "lint/view/lint_view.h"

namespace detent::onnxruntime {

// The levels of ONNX Runtime, also in a browser.
inline constexpr std::string_view kErrors =
    "scale-not-constant scale-not-positive fp8-refused-by-engine missing-axis wrong-axis "
    "fp16-scale-below-opset-19 q-and-dq-differ q-without-dq weight-without-dq refused-activation "
    "scale-not-scalar ignored-bias-scale copied-int8-pair opset-too-new";
inline constexpr std::string_view kWarnings =
    "joined-pairs codes-not-8-bit fp8-on-float-operator cast-between-q-and-dq bias-scale clip-before-int8-q "
    "shared-int8-pair "
    "pair-between-conv-and-activation coarse-scores copy-scales-differ float-island saturates-without-vnni "
    "int4-not-fused layer-left-float";
inline constexpr std::string_view kNotes =
    "activations-of-16-bits operator-between-q-and-dq layer-float-on-purpose layer-float-by-rule product-left-float";
inline constexpr std::string_view kAbsent = "concat-scales-differ";

/// True for operators without weights that have an integer kernel. Copies follow their neighbours.
[[nodiscard]] bool belongs_in_int8(const LintView& view, const EdgeDecision& edge);

}  // namespace detent::onnxruntime
