#pragma once

#include <string_view>

#include "prepare/opset_adapters.h"

namespace detent {

/// Returns how a node is written with the version of its operator before `version`, 18 to 24: `adapt` adds the changes
/// that keep its meaning, or refuses the node. Without an entry (`op_type` is empty) attributes change, if anything.
/// Source  ONNX docs/Changelog.md.
[[nodiscard]] OpsetChange find_lowering(std::string_view op_type, int version);

/// True for an attribute with a value with which the operator does what it did before it had the attribute.
[[nodiscard]] bool is_neutral(const Node& node, const Attribute& attribute);

}  // namespace detent
