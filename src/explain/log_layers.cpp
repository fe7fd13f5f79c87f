#include <algorithm>
#include <array>
#include <optional>

#include "detent/base/error.h"
#include "explain/engine_json.h"

namespace detent {

namespace {

constexpr std::string_view kBuilt = "Layer(", kDumped = "Name: ";

/// Type words of tensors in logs; a word that begins like another stands in front of it.
constexpr std::array<std::string_view, 14> kLoggedTypes{"Float", "Half",     "Int8",    "Int32",  "Int64",
                                                        "Bool",  "BFloat16", "BF16",    "FP8",    "FP4",
                                                        "UInt8", "Int4",     "Float16", "Float32"};

/// Removes and returns the text up to `end` with it.
/// Errors  InvalidData where it does not occur.
std::string_view take_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos)
    throw Error(ErrorCode::InvalidData,
                "the line of a layer ends in the middle: '" + std::string(text.substr(0, 60)) + "' has no '" +
                    std::string(end) + "'",
                "write or copy the file again");
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return taken;
}

/// A type with dimensions behind a tensor's name: " (Int8[1,64:32,8,8])", before TensorRT 8.5 "[Half(1,64,8,8)]".
struct TypePlace {
  size_t begin = 0, end = 0;
  std::string format = {};
};

std::optional<TypePlace> next_type(std::string_view text) {
  for (size_t at = text.find_first_of("(["); at != std::string_view::npos; at = text.find_first_of("([", at + 1))
    for (const std::string_view type : kLoggedTypes) {
      const size_t open = at + 1 + type.size();
      if (!text.substr(at + 1).starts_with(type) || open >= text.size()) continue;
      const bool newer = text[at] == '(';
      if (text[open] != (newer ? '[' : '(')) continue;
      const size_t close = text.find(newer ? "])" : ")]", open);
      if (close == std::string_view::npos) continue;
      const std::string_view dims = text.substr(open + 1, close - open - 1);
      const size_t vector = dims.find(':');
      std::string format(type);
      if (vector != std::string_view::npos)
        format += " in vectors of " + std::string(dims.substr(vector + 1, dims.find(',', vector) - vector - 1));
      return TypePlace{newer && at > 0 && text[at - 1] == ' ' ? at - 1 : at, close + 2, format};
    }
  return std::nullopt;
}

/// Reads "a (Half[1,2]), b (Half[1,2])". Names may contain commas.
std::vector<EngineTensor> built_tensors(std::string_view text) {
  std::vector<EngineTensor> tensors;
  while (const auto type = next_type(text)) {
    tensors.push_back({std::string(text.substr(0, type->begin)), type->format});
    text.remove_prefix(type->end);
    if (text.starts_with(", ")) text.remove_prefix(2);
  }
  return tensors;
}

/// Reads "Layer(Type): name, Tactic: 0x0, inputs -> outputs".
EngineLayer built_layer(std::string_view line) {
  line.remove_prefix(kBuilt.size());
  EngineLayer layer;
  layer.type = take_until(line, "): ");
  layer.name = take_until(line, ", Tactic: ");
  take_until(line, ", ");
  layer.inputs = built_tensors(take_until(line, "-> "));
  layer.outputs = built_tensors(line);
  return layer;
}

/// Returns what stands behind `key` up to a comma or quote; "" without it.
std::string attribute(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + key.size());
  return std::string(text.substr(0, text.find_first_of(",\"")));
}

/// Reads "{ Name: a, Dimensions: [1,2], Format/Datatype: Row major linear FP32 }, { ... }", since TensorRT 11 "Format:
/// Row major linear, Datatype: Float }".
std::vector<EngineTensor> dumped_tensors(std::string_view text) {
  std::vector<EngineTensor> tensors;
  while (text.find("Name: ") != std::string_view::npos) {
    take_until(text, "Name: ");
    EngineTensor tensor;
    tensor.name =
        take_until(text, text.find(", Location: ") < text.find(", Dimensions: ") ? ", Location: " : ", Dimensions: ");
    const std::string_view rest = take_until(text, "}");
    for (const std::string_view key : {", Format/Datatype: ", ", Format: ", ", Datatype: ", ", DataType: "}) {
      std::string part = attribute(rest, key);
      while (part.ends_with(' ')) part.pop_back();
      if (!part.empty()) tensor.format += (tensor.format.empty() ? "" : ", ") + part;
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Reads "Name: a, LayerType: b, Inputs: [...], Outputs: [...], ...".
EngineLayer dumped_layer(std::string_view line) {
  line.remove_prefix(kDumped.size());
  EngineLayer layer;
  layer.name = take_until(line, ", LayerType: ");
  layer.type = take_until(line, ", Inputs: [");
  layer.inputs = dumped_tensors(take_until(line, "], Outputs: ["));
  if (!line.starts_with(']')) layer.outputs = dumped_tensors(std::string(take_until(line, "}]")) + "}");
  layer.origin = attribute(line, "Origin: ");
  layer.tactic = attribute(line, "TacticName: ");
  layer.weights = attribute(line, "Weights: {\"Type\": \"");
  const size_t metadata = line.find("Metadata: ");
  if (metadata != std::string_view::npos) layer.metadata = line.substr(metadata);
  return layer;
}

}  // namespace

BuiltEngine read_log(std::string_view log) {
  BuiltEngine built{"log", {}, {}}, dumped{"log", {}, {}};
  bool in_built = false;
  for (size_t at = 0; at < log.size();) {
    const size_t end = std::min(log.find('\n', at), log.size());
    std::string_view line = log.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(kBuilt)) {
      if (!in_built) built.layers.clear();
      built.layers.push_back(built_layer(line));
    }
    in_built = line.starts_with(kBuilt);
    if (line.starts_with(kDumped) && line.find(", LayerType: ") != std::string_view::npos)
      dumped.layers.push_back(dumped_layer(line));
  }
  return dumped.layers.empty() ? built : dumped;
}

}  // namespace detent
