#pragma once

#include <span>

#include "place/rules/rule.h"
#include "place/targets/target.h"

namespace detent {

/// The rules of an engine, in the order they are applied.
[[nodiscard]] std::span<const Rule> rule_list(Engine engine);

}  // namespace detent
