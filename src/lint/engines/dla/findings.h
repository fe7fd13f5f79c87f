#pragma once

#include "lint/view/finding.h"

namespace detent::findings {

/// Checks that concern DLA alone.
FindingCheck pairs_for_dla;

}  // namespace detent::findings
