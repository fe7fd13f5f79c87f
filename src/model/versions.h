#pragma once

#include <string>

namespace detent {

/// "protobuf 3.21.12": what src/model was built with.
[[nodiscard]] std::string model_library_versions();

}  // namespace detent
