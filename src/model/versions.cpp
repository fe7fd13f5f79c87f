#include "model/versions.h"

#include <google/protobuf/stubs/common.h>

namespace detent {

std::string model_library_versions() {
  return "protobuf " + google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
}

}  // namespace detent
