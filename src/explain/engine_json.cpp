#include "explain/engine_json.h"

#include <algorithm>

#include "core/json/parse_json.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// Returns layout and type: one text up to TensorRT 10, two since 11.
std::string format_of(const Json& tensor) {
  std::string format = text_of(tensor, "Format/Datatype");
  for (const char* key : {"Format", "Datatype", "DataType"})
    if (const std::string part = text_of(tensor, key); !part.empty()) format += (format.empty() ? "" : ", ") + part;
  return format;
}

/// Returns the product of the extents; 0 where one is open or missing.
double elements_of(const Json& tensor) {
  const auto extents = tensor.find("Dimensions");
  if (extents == tensor.end() || !extents->is_array()) return 0;
  double elements = 1;
  for (const Json& extent : *extents) elements *= extent.is_number() ? std::max(extent.get<double>(), 0.0) : 0.0;
  return elements;
}

std::vector<EngineTensor> tensors_of(const Json& layer, const char* key) {
  std::vector<EngineTensor> tensors;
  const auto list = layer.find(key);
  if (list == layer.end() || !list->is_array()) return tensors;
  for (const Json& tensor : *list)
    if (tensor.is_object()) tensors.push_back({text_of(tensor, "Name"), format_of(tensor), elements_of(tensor)});
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

namespace {

/// Adds what helps to an error of parsing.
template <class Parse>
Json with_hint(const char* expected, const Parse& parse) {
  try {
    return parse();
  } catch (const Error& error) {
    const bool cut = std::string_view(error.what()).starts_with("ends in the middle");
    throw Error(error.code(), error.what(), cut ? "write or copy the file again" : expected);
  }
}

}  // namespace

Json parse_engine_json(std::string_view text, const char* expected) {
  return with_hint(expected, [&] { return parse_json(text); });
}

Json parse_engine_layers(std::string_view text, const std::function<void(const Json&)>& take) {
  return with_hint(kExpectedLayers, [&] { return parse_json_list(text, "Layers", take); });
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
