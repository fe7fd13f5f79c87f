#include "detent/version.h"

namespace detent {

std::string tool_version() { return std::string("detent ") + DETENT_VERSION; }

}  // namespace detent
