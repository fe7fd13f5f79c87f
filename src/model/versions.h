#pragma once

#include <string>

namespace detent {

/// Returns the libraries that src/model was built with: "protobuf 3.21.12".
[[nodiscard]] std::string model_library_versions();

}  // namespace detent
