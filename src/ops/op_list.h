#pragma once

#include <span>

#include "ops/operator.h"

namespace detent {

/// name_operators(): the definitions of one family file. A new family adds a line to op_list.inc.
#define FAMILY(name) [[nodiscard]] std::span<const OperatorDef> name##_operators();
#include "ops/op_list.inc"
#undef FAMILY

/// All of them.
[[nodiscard]] std::span<const OperatorDef> operator_list();

}  // namespace detent
