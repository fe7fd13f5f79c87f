#pragma once

#include <string>

#include "detent/base/error.h"
#include "equalize/equalization.h"

namespace detent {

namespace stored {
class Table;
}

/// Returns the error for a damaged calibration table: InvalidData.
[[nodiscard]] Error damaged_table(const std::string& what);

/// Stores factors as calibration_table.proto holds them.
void store_equalization(const Equalization& equalization, stored::Table& out);
/// Reads factors. Errors  InvalidData where they are not sorted or cannot be applied: none, or not finite.
[[nodiscard]] Equalization restore_equalization(const stored::Table& stored);

}  // namespace detent
