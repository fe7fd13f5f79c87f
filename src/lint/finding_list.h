#pragma once

#include <span>

#include "lint/view/finding.h"

namespace detent {

/// Every kind of finding, in the order in which they are checked: kinds that name a layer's trouble exactly come before
/// those that only see that the layer is float.
[[nodiscard]] std::span<const FindingKind> finding_list();

}  // namespace detent
