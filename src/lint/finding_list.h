#pragma once

#include <span>

#include "lint/view/finding.h"

namespace detent {

/// Returns every kind of finding, in the order of the checks: kinds that name a layer's exact trouble come before those
/// that only see a float layer.
[[nodiscard]] std::span<const FindingKind> finding_list();

}  // namespace detent
