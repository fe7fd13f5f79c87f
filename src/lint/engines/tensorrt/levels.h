#pragma once

#include <array>
#include <string_view>

#include "lint/view/lint_engine.h"
#include "lint/view/lint_view.h"

namespace detent::tensorrt {

using namespace std::string_view_literals;

inline constexpr std::array kErrors{"integer-operators"sv,
                                    "scale-not-constant"sv,
                                    "scale-not-positive"sv,
                                    "missing-zero-point"sv,
                                    "uint8-codes"sv,
                                    "int16-codes"sv,
                                    "fp8-refused-by-engine"sv,
                                    "nonzero-zero-point"sv,
                                    "per-channel-activation"sv,
                                    "missing-axis"sv,
                                    "wrong-axis"sv,
                                    "int32-bias"sv,
                                    "int8-weight-initializer"sv,
                                    "q-and-dq-differ"sv,
                                    "q-without-dq"sv,
                                    "weight-without-dq"sv,
                                    "blocked-axis"sv,
                                    "odd-nibbles"sv,
                                    "scale-type-mixed"sv};
inline constexpr std::array kWarnings{"uint8-zero-point"sv,
                                      "codes-not-8-bit"sv,
                                      "fp8-on-float-operator"sv,
                                      "cast-between-q-and-dq"sv,
                                      "deconvolution-3d-not-closed"sv,
                                      "batchnorm-behind-deconvolution"sv,
                                      "skip-not-quantized"sv,
                                      "pair-between-conv-and-add"sv,
                                      "pair-between-conv-and-activation"sv,
                                      "concat-scales-differ"sv,
                                      "coarse-scores"sv,
                                      "copy-scales-differ"sv,
                                      "float-island"sv,
                                      "attention-not-fused"sv,
                                      "layer-left-float"sv,
                                      "cast-between-pair-and-kernel"sv,
                                      "overflow-in-half"sv,
                                      "vanishing-constant"sv,
                                      "float32-rest"sv};
inline constexpr std::array kNotes{
    "fp16-scale-below-opset-19"sv, "layer-float-on-purpose"sv, "layer-float-by-rule"sv,
    "attention-order"sv,           "product-left-float"sv,     "concat-input-from-float"sv,
    "stem-conv-maxpool"sv,         "depthwise-silu"sv,         "leaky-relu-not-closed"sv};
inline constexpr std::array kAbsent{"bias-scale"sv, "saturates-without-vnni"sv};

/// As LintEngine::belongs_in_int8.
[[nodiscard]] bool belongs_in_int8(const LintView& view, const EdgeDecision& edge);

}  // namespace detent::tensorrt
