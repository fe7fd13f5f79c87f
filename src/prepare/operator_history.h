#pragma once

#include <string_view>

namespace detent {

/// The last opset whose changes operator_changed_at() lists.
inline constexpr int kNewestListedOpset = 17;

/// True where an operator of ONNX's own domain that opset `version` - 1 had means or allows something else from
/// `version` on. False for operators that ONNX does not know, and beyond kNewestListedOpset.
/// Source  ONNX,
/// docs/Changelog.md. A table here, because libonnx makes some 600 schemas at the first question; a test compares the
/// two.
[[nodiscard]] bool operator_changed_at(std::string_view op_type, int version);

}  // namespace detent
