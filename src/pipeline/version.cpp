#include <tbb/version.h>

#include "datasets/images/load_codecs.h"
#include "detent/base/version.h"
#include "model/versions.h"
#include "ops/versions.h"

namespace detent {

std::string version_text() {
  return tool_version() + "\n" + model_library_versions() + "\n" + kernel_library_versions() + "\n" +
         dataset_library_versions() + "\nTBB " + std::to_string(TBB_VERSION_MAJOR) + "." +
         std::to_string(TBB_VERSION_MINOR) + "\n";
}

}  // namespace detent
