#include "datasets/state/state_file.h"

#include "datasets/base/json_object.h"
#include "datasets/state/pipeline_file.h"
#include "datasets/state/state_document.h"
#include "detent/base/error.h"

namespace detent {

StateFile read_state_file(const std::filesystem::path& file) {
  const nlohmann::json document =
      read_json_object(file, "an object is expected: {\"feeds\": {\"OUTPUT\": \"INPUT\"}, \"cut\": {\"INPUT\": AXIS}}");
  if (document.contains("models")) {
    if (auto state = read_pipeline_file(file).state) return *std::move(state);
    throw Error(ErrorCode::InvalidOption, file.string() + ": the pipeline has no \"loop\"");
  }
  try {
    return state_of(document);
  } catch (const Error& error) {
    throw error.in(file.string());
  }
}

}  // namespace detent
