#pragma once

#include "observe/float_reach.h"

namespace detent {

namespace stored {
class Table;
}

/// What values reach as calibration_table.proto holds it.
void store_reaches(const TableReaches& reaches, stored::Table& out);
/// Errors  InvalidData where they are not sorted or cannot have been measured.
[[nodiscard]] TableReaches restore_reaches(const stored::Table& stored);

}  // namespace detent
