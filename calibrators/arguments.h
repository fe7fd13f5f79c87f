#pragma once

#include <string_view>

namespace detent {

/// For calibrators that have no argument. Errors  Usage when `argument` is not empty.
void refuse_argument(std::string_view calibrator, std::string_view argument);

}  // namespace detent
