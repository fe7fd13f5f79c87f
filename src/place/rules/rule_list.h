#pragma once

#include <span>

#include "place/rules/rule.h"
#include "place/targets/target.h"

namespace detent {

/// Returns the rules of an engine, in the order of their application.
[[nodiscard]] std::span<const Rule> rule_list(Engine engine);

}  // namespace detent
