#include "explain/engine_json.h"

#include "core/json/parse_json.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

std::vector<EngineTensor> tensors_of(const Json& layer, const char* key) {
  std::vector<EngineTensor> tensors;
  const auto list = layer.find(key);
  if (list == layer.end() || !list->is_array()) return tensors;
  for (const Json& tensor : *list)
    if (tensor.is_object()) tensors.push_back({text_of(tensor, "Name"), text_of(tensor, "Format/Datatype")});
  return tensors;
}

/// Returns the type of "Weights", or of "ConvWeights" in a Conv that is fused with a pool.
std::string weights_of(const Json& layer) {
  for (const char* key : {"Weights", "ConvWeights"})
    if (const auto weights = layer.find(key); weights != layer.end() && weights->is_object())
      return text_of(*weights, "Type");
  return {};
}

}  // namespace

Json parse_engine_json(std::string_view text, const char* expected) {
  try {
    return parse_json(text);
  } catch (const Error& error) {
    const bool cut = std::string_view(error.what()).starts_with("ends in the middle");
    throw Error(error.code(), error.what(), cut ? "write or copy the file again" : expected);
  }
}

std::string text_of(const Json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

EngineLayer read_layer(const Json& json) {
  if (json.is_string()) return {.name = json.get<std::string>()};
  if (!json.is_object() || !json.contains("Name"))
    throw Error(ErrorCode::InvalidData, "a layer is neither a name nor an object with \"Name\"", kExpectedLayers);
  return {.name = text_of(json, "Name"),
          .type = text_of(json, "LayerType"),
          .origin = text_of(json, "Origin"),
          .tactic = text_of(json, "TacticName"),
          .weights = weights_of(json),
          .metadata = text_of(json, "Metadata"),
          .inputs = tensors_of(json, "Inputs"),
          .outputs = tensors_of(json, "Outputs")};
}

}  // namespace detent
