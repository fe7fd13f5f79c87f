#include <map>

#include "detent/base/error.h"
#include "explain/engine_json.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kKernelTime = "_kernel_time";

/// Returns tensors without names of "input_type_shape": [{"float": [1, 3, 32, 32]}].
std::vector<EngineTensor> typed_tensors(const Json& args, const char* key) {
  std::vector<EngineTensor> tensors;
  const auto list = args.find(key);
  if (list == args.end() || !list->is_array()) return tensors;
  for (const Json& tensor : *list)
    if (tensor.is_object() && !tensor.empty()) tensors.push_back({"", tensor.begin().key()});
  return tensors;
}

/// Returns the name of the node whose kernel the event times; "" for other events.
std::string timed_node(const Json& event) {
  if (!event.is_object() || text_of(event, "cat") != "Node" || !event.contains("args")) return {};
  std::string name = text_of(event, "name");
  if (!name.ends_with(kKernelTime)) return {};
  name.resize(name.size() - kKernelTime.size());
  return name;
}

}  // namespace

BuiltEngine read_node_events(const Json& events) {
  BuiltEngine engine{"onnxruntime", {}, {}};
  std::map<std::string, size_t> layer_of;
  std::vector<double> runs;
  for (const Json& event : events) {
    const std::string name = timed_node(event);
    const auto microseconds = name.empty() ? event.end() : event.find("dur");
    if (microseconds == event.end() || !microseconds->is_number()) continue;
    const auto [entry, added] = layer_of.try_emplace(name, engine.layers.size());
    if (added) {
      const Json& args = event["args"];
      engine.layers.push_back({.name = name,
                               .type = text_of(args, "op_name"),
                               .inputs = typed_tensors(args, "input_type_shape"),
                               .outputs = typed_tensors(args, "output_type_shape"),
                               .ms = 0.0});
      runs.push_back(0);
    }
    *engine.layers[entry->second].ms += microseconds->get<double>() / 1000;
    ++runs[entry->second];
  }
  if (engine.layers.empty())
    throw Error(ErrorCode::InvalidData, "holds no node of ONNX Runtime that ran", kExpectedLayers);
  for (size_t i = 0; i < runs.size(); ++i) *engine.layers[i].ms /= runs[i];
  return engine;
}

}  // namespace detent
