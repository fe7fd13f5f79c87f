#pragma once

#include <string_view>

#include "ops/signature.h"

namespace detent {

/// Returns the signature of an operator of ONNX Runtime that Detent expands (prepare/expand); nullptr for others.
[[nodiscard]] const Signature* find_microsoft_signature(std::string_view op_type);

}  // namespace detent
