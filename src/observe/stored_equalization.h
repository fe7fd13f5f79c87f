#pragma once

#include <string>

#include "detent/base/error.h"
#include "equalize/equalization.h"

namespace detent {

namespace stored {
class Table;
}

/// InvalidData for a calibration table that is not as it was written.
[[nodiscard]] Error damaged_table(const std::string& what);

/// Factors as calibration_table.proto holds them.
void store_equalization(const Equalization& equalization, stored::Table& out);
/// Errors  InvalidData where they are not sorted or cannot be applied: no numbers, or numbers that are not finite.
[[nodiscard]] Equalization restore_equalization(const stored::Table& stored);

}  // namespace detent
