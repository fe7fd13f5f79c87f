#pragma once

#include <span>

#include "lint/view/finding.h"

namespace detent {

/// Every kind of finding, in the order in which they are checked: what names a layer's trouble exactly comes before what
/// only sees that the layer is float.
[[nodiscard]] std::span<const FindingKind> finding_list();

}  // namespace detent
