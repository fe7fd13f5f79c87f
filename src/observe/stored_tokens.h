#pragma once

#include "observe/token_reach.h"

namespace detent {

namespace stored {
class Table;
}

/// What tokens reach as calibration_table.proto holds it.
void store_tokens(const TableTokens& tokens, stored::Table& out);
/// Errors  InvalidData where they are not sorted or cannot have been measured.
[[nodiscard]] TableTokens restore_tokens(const stored::Table& stored);

}  // namespace detent
