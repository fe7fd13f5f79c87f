#pragma once

#include "model/model.h"

namespace detent {

/// True when both main graphs have the same nodes, inputs, outputs, constants (bit for bit) and opsets; where the bytes
/// of a constant are stored (inside or beside the file) does not matter.
[[nodiscard]] bool same_content(const Model& a, const Model& b);

}  // namespace detent
