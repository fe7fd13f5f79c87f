#include "datasets/base/json_object.h"

#include "core/json/parse_json.h"
#include "detent/base/error.h"

namespace detent {

nlohmann::json read_json_object(const std::filesystem::path& file, const std::string& expected) {
  try {
    nlohmann::json document = read_json(file, RepeatedNames::Refused);
    if (!document.is_object()) throw Error(ErrorCode::InvalidData, file.string() + ": " + expected);
    return document;
  } catch (const Error& error) {
    throw Error(ErrorCode::InvalidOption, error.what());
  }
}

}  // namespace detent
