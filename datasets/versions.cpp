#include "datasets/versions.h"

#include <opencv2/core/version.hpp>

namespace detent {

std::string dataset_library_versions() { return std::string("OpenCV ") + CV_VERSION; }

}  // namespace detent
