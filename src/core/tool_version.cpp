#include "detent/base/version.h"

namespace detent {

std::string version_number() { return DETENT_VERSION; }

std::string tool_version() { return "detent " + version_number(); }

}  // namespace detent
