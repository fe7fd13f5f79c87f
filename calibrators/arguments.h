#pragma once

#include <string_view>

namespace detent {

/// Throws Usage when `argument` is not empty.
void refuse_argument(std::string_view calibrator, std::string_view argument);

}  // namespace detent
