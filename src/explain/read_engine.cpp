#include "explain/read_engine.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/files/mapped_file.h"
#include "detent/base/error.h"
#include "explain/engine_json.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr const char* kExpectedProfile =
    "expected is a profile of TensorRT (trtexec --exportProfile), or the times of each layer in a list by its name";
constexpr std::string_view kDumpHead = "--- Layer ";

/// Calls `read` with the bytes of a file and names the file in errors.
template <class Read>
auto read_file(const std::filesystem::path& path, const Read& read) {
  try {
    const auto file = MappedFile::open(path);
    return read(file->bytes());
  } catch (const Error& error) {
    const std::string what = error.what();
    const Error data(ErrorCode::InvalidData, what, error.hint());
    throw what.starts_with(path.string()) ? data : data.in(path.string());
  }
}

/// Returns true for a text that begins like an object or a list. Logs begin with "[date]".
bool begins_like_json(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n", kInList = "{[\"]";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  if (!text.starts_with('[')) return text.starts_with('{');
  text.remove_prefix(1);
  const size_t at = text.find_first_not_of(kBlanks);
  return at == std::string_view::npos || kInList.find(text[at]) != std::string_view::npos;
}

/// Sets what the object says besides its layers, which were handed out.
void add_object(const Json& json, BuiltEngine& engine) {
  const auto layers = json.find("Layers");
  if (layers == json.end() || !layers->is_array())
    throw Error(ErrorCode::InvalidData, "is JSON of another kind: it has no \"Layers\"", kExpectedLayers);
  // Names up to TensorRT 10; since 11 objects, under another key.
  for (const char* key : {"Bindings", "I/O Tensors"})
    if (const auto bindings = json.find(key); bindings != json.end() && bindings->is_array())
      for (const Json& binding : *bindings) {
        std::string name = binding.is_object() ? text_of(binding, "Name") : std::string();
        if (binding.is_string()) name = binding.get<std::string>();
        if (!name.empty()) engine.bindings.push_back(std::move(name));
      }
  engine.strongly_typed = json.contains("I/O Tensors");
}

bool is_profile(const Json& json) {
  return json.is_array() && !json.empty() && json.front().is_object() && json.front().contains("count");
}

BuiltEngine read_json(std::string_view text) {
  BuiltEngine engine{"detailed", {}};
  const Json json = parse_engine_layers(text, [&engine](const Json& layer) {
    if (engine.layers.empty() && layer.is_string()) engine.form = "names";
    engine.layers.push_back(read_layer(layer));
  });
  if (json.is_object()) {
    add_object(json, engine);
    return engine;
  }
  if (is_profile(json))
    throw Error(ErrorCode::InvalidData, "is a profile of TensorRT, without layers",
                "give it to --profile, and the layers (trtexec --exportLayerInfo) as LAYERS");
  return read_node_events(json);
}

/// Reads "--- Layer 0 ---", an object, "--- Layer 1 ---" and so on.
BuiltEngine read_dumps(std::string_view text) {
  BuiltEngine engine{"dumps", {}};
  for (size_t at = text.find(kDumpHead); at != std::string_view::npos;) {
    const size_t line_end = std::min(text.find('\n', at), text.size());
    at = text.find(kDumpHead, line_end);
    engine.layers.push_back(read_layer(
        parse_engine_json(text.substr(line_end, at == std::string_view::npos ? at : at - line_end), kExpectedLayers)));
  }
  return engine;
}

/// Times by layer, in the order of the file: a name may occur more than once.
using Times = std::unordered_map<std::string, std::vector<double>>;

/// Returns the mean of a list of numbers; nothing for anything else.
std::optional<double> mean_of(const Json& list) {
  if (!list.is_array() || list.empty()) return std::nullopt;
  double sum = 0;
  for (const Json& time : list) {
    if (!time.is_number()) return std::nullopt;
    sum += time.get<double>();
  }
  return sum / static_cast<double>(list.size());
}

/// Returns the times in milliseconds by layer of [{"count": 9}, {"name": "a", "averageMs": 0.1}] and of {"a": [0.1]}.
Times times_of(const Json& json) {
  Times times;
  if (is_profile(json))
    for (const Json& row : json)
      if (row.is_object() && row.contains("averageMs") && row["averageMs"].is_number())
        times[text_of(row, "name")].push_back(row["averageMs"].get<double>());
  if (json.is_object())
    for (const auto& [name, list] : json.items())
      if (const auto mean = mean_of(list)) times[name].push_back(*mean);
  return times;
}

BuiltEngine read_any(std::string_view text) {
  BuiltEngine engine = begins_like_json(text)                                ? read_json(text)
                       : text.find(kDumpHead) != std::string_view::npos      ? read_dumps(text)
                       : text.find(kCompilerTable) != std::string_view::npos ? read_compiler_table(text)
                                                                             : read_log(text);
  if (engine.layers.empty())
    throw Error(ErrorCode::InvalidData, text.empty() ? "is empty" : "holds no layer of an engine", kExpectedLayers);
  return engine;
}

}  // namespace

BuiltEngine read_engine(const std::filesystem::path& file) { return read_file(file, read_any); }

void read_times(const std::filesystem::path& file, BuiltEngine& engine) {
  read_file(file, [&engine](std::string_view text) {
    const Json json = parse_engine_json(text, kExpectedProfile);
    const auto times = times_of(json);
    std::unordered_map<std::string, size_t> taken;
    if (times.empty()) throw Error(ErrorCode::InvalidData, "holds no times of layers", kExpectedProfile);
    size_t known = 0;
    for (EngineLayer& layer : engine.layers) {
      const auto rows = times.find(layer.name);
      if (rows == times.end()) continue;
      ++known;
      if (const size_t row = taken[layer.name]++; row < rows->second.size()) layer.ms = rows->second[row];
    }
    if (known == 0)
      throw Error(ErrorCode::InvalidData, "knows none of the layers: it is the profile of another engine",
                  "names change with each build: both files must be of the same one");
  });
}

}  // namespace detent
