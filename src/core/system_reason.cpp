#include "core/system_reason.h"

#include <cstring>

namespace detent {

std::string with_system_reason(std::string_view what, int reason) {
  return std::string(what) + ": " + std::strerror(reason);
}

}  // namespace detent
