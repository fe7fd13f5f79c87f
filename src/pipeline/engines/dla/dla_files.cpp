#include "pipeline/engines/dla/dla_files.h"

#include <algorithm>
#include <vector>

#include "calibrate/engines/tensorrt/tensorrt_cache.h"
#include "core/files/atomic_file.h"
#include "core/text.h"
#include "place/engines/dla/dla_layers.h"
#include "place/engines/dla/dla_support.h"
#include "place/engines/dla/rules.h"

namespace detent {

namespace {

/// A layer of the network, its device and precision.
struct Layer {
  std::string name, op;
  std::string gpu_reason;  ///< empty: DLA
  bool int8 = false;       ///< false: FP16
};

/// True when the layer computes in INT8: it reads pairs, or computes inside the layer before it (D1).
bool is_int8(const PlacementPlan& plan, const GraphFacts& facts, const Node& node) {
  const DlaLayer* layer = find_dla_layer(node.op_type);
  if (layer && !layer->int8) return false;
  return std::ranges::all_of(facts.data_slots(node.id), [&](int slot) {
    const MaybeValue input = node.input(slot);
    if (!facts.is_float(input) || facts.is_constant(input)) return true;
    const EdgeDecision* edge = plan.find_edge(node.id, slot);
    return edge && (edge->reads_pair() || edge->rule == &rules::dla::kLayers);
  });
}

std::vector<Layer> layers_of(const Graph& graph, const PlacementPlan& plan) {
  const GraphFacts facts(graph, *plan.target);
  CertainShapes shapes(facts);
  std::vector<Layer> layers;
  for (const Node& node : graph.nodes()) {
    if (!is_dla_candidate(facts, node)) continue;
    Layer layer{node.name, node.op_type, dla_obstacle(facts, node, shapes)};
    layer.int8 = layer.gpu_reason.empty() && is_int8(plan, facts, node);
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Returns an argument as `xargs` reads it: in double quotes where it holds blanks.
std::string argument(const std::string& text) {
  return (text.find_first_of(" \t'") == std::string::npos ? text : "\"" + text + "\"") + "\n";
}

template <typename WordOf>
std::string layer_argument(const std::string& option, const std::vector<Layer>& layers, WordOf word_of) {
  return argument(option + "=" +
                  join(layers, ",", [&](const Layer& layer) { return layer.name + ":" + word_of(layer); }));
}

/// Returns the comment about inputs whose sizes the model leaves open; "" where there are none.
std::string open_sizes_text(const Graph& graph) {
  std::string shapes;
  for (const ValueId input : graph.inputs()) {
    const Value& value = graph.value(input);
    if (!value.declared_shape || std::ranges::count(*value.declared_shape, -1) == 0) continue;
    const auto extent = [](int64_t number) { return std::to_string(number < 0 ? 1 : number); };
    shapes += (shapes.empty() ? "" : ",") + value.name + ":" + join(*value.declared_shape, "x", extent);
  }
  return shapes.empty() ? ""
                        : "# DLA needs fixed sizes; the model leaves some open. For example: --shapes=" + shapes + "\n";
}

std::string arguments_text(const Graph& graph, const std::vector<Layer>& layers, const std::string& model,
                           const DlaPaths& paths) {
  std::string text =
      "# trtexec's arguments for DLA:  grep '^--' " + paths.arguments.filename().string() +
      " | xargs trtexec\n# With another --onnx and --calib if the files move.\n# For TensorRT up to 10.7: "
      "11 has no options for precision and no calibration.\n";
  text += open_sizes_text(graph);
  text += argument("--onnx=" + model) + argument("--calib=" + paths.cache.filename().string());
  text += "--int8\n--fp16\n--useDLACore=0\n--allowGPUFallback\n--precisionConstraints=prefer\n";
  if (!layers.empty()) {
    text += layer_argument("--layerPrecisions", layers, [](const Layer& one) { return one.int8 ? "int8" : "fp16"; });
    text += layer_argument("--layerDeviceTypes", layers,
                           [](const Layer& one) { return one.gpu_reason.empty() ? "DLA" : "GPU"; });
  }
  text += "# On the GPU (" + std::string(kDlaSource) + "):\n";
  for (const Layer& layer : layers)
    if (!layer.gpu_reason.empty()) text += "#   " + layer.name + " (" + layer.op + "): " + layer.gpu_reason + "\n";
  return text;
}

}  // namespace

DlaPaths dla_paths(const std::filesystem::path& output) {
  DlaPaths paths{output, output};
  paths.cache.replace_extension(".cache");
  paths.arguments.replace_extension(".dla.txt");
  return paths;
}

DlaFiles write_dla_files(const Graph& graph, const PlacementPlan& plan, const Chosen& chosen,
                         const std::filesystem::path& model, const DlaPaths& paths, bool overwrite) {
  TensorRtCache cache{(*plan.target->engine.cache_version)(*plan.target, chosen.calibrator->name()), {}};
  for (const auto& [value, range] : chosen.ranges)
    if (!graph.value(value).is_constant)
      cache.scales[graph.value(value).name] = qparams_from_range(range, chosen.format.activation).scale.front();
  const std::vector<Layer> layers = layers_of(graph, plan);
  write_file(paths.cache, format_tensorrt_cache(cache), overwrite);
  write_file(paths.arguments, arguments_text(graph, layers, model.filename().string(), paths), overwrite);
  DlaFiles files{.cache = paths.cache.string(), .arguments = paths.arguments.string(), .scales = cache.scales.size()};
  for (const Layer& layer : layers) {
    size_t& count = !layer.gpu_reason.empty() ? files.gpu_layers : layer.int8 ? files.int8_layers : files.fp16_layers;
    ++count;
  }
  return files;
}

std::string dla_note(const DlaFiles& files) {
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  return "DLA runs " + plural(files.int8_layers, "layer") + " in INT8 and " + std::to_string(files.fp16_layers) +
         " in FP16, the GPU " + std::to_string(files.gpu_layers) + "; the file is the float model, " +
         name(files.cache) + " has " + plural(files.scales, "scale") + " and " + name(files.arguments) +
         " trtexec's arguments; for TensorRT up to 10.7: DLA of 11.4.1 (Jetson AGX Orin, JetPack 7.2.2) is strongly "
         "typed "
         "and takes no cache";
}

}  // namespace detent
