#pragma once

#include <string>

#include "detent/options/weight_format.h"

namespace detent {

/// "INT4 in blocks of 32", "INT8 with one scale a channel".
[[nodiscard]] std::string format_text(const WeightFormat& format);

}  // namespace detent
