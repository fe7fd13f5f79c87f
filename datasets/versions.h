#pragma once

#include <string>

namespace detent {

/// "OpenCV 4.6.0": what images are decoded with.
[[nodiscard]] std::string dataset_library_versions();

}  // namespace detent
