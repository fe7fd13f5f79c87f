#include "explain/cause_rules.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "explain/layer_kind.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

std::string titles_of(const EngineView& view, const std::vector<size_t>& layers) {
  return listed(layers, 2, [&view](size_t layer) { return title_of(view.row(layer)); });
}

}  // namespace

std::optional<Cause> reformats_at_border(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (view.row(index).kind != "reformat" || layer.inputs.empty() || layer.outputs.empty()) return std::nullopt;
  const std::string from = layer.inputs.front().format, change = from + " -> " + layer.outputs.front().format;
  const bool input = view.sources(index).empty() && view.reads_network_input(index);
  if (input && from == layer.outputs.front().format)
    return Cause{"a Cast of the network's input that changes nothing: " + change, "take the Cast out of the model"};
  if (input) return Cause{"the network's input is not in the form that the first layer reads: " + change, kInputFormat};
  if (view.readers(index).empty() && view.writes_network_output(index))
    return Cause{"the network's output is not in the form that the last layer writes: " + change, kOutputFormat};
  return std::nullopt;
}

std::optional<Cause> changes_type(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  const std::string from = first_type(layer.inputs), to = first_type(layer.outputs);
  if (view.row(index).kind != "reformat" || from == to || from == "unknown" || to == "unknown") return std::nullopt;
  const auto sources = view.sources(index);
  std::vector<size_t> readers;
  for (const TensorReader& reader : view.readers(index)) readers.push_back(reader.layer);
  const std::string between = (sources.empty() ? "" : titles_of(view, sources) + " writes " + from) +
                              (sources.empty() || readers.empty() ? "" : ", ") +
                              (readers.empty() ? "" : titles_of(view, readers) + " reads " + to);
  if (between.empty()) return Cause{"changes " + from + " to " + to, kFloatAround};
  return Cause{between, from == "int8" || to == "int8" ? kRepair : kFloatAround};
}

std::optional<Cause> changes_layout(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (view.row(index).kind != "reformat" || layer.inputs.empty() || layer.outputs.empty()) return std::nullopt;
  const auto sources = view.sources(index);
  std::vector<size_t> readers;
  for (const TensorReader& reader : view.readers(index)) readers.push_back(reader.layer);
  return Cause{"only the layout differs: " + (sources.empty() ? "" : titles_of(view, sources) + " writes ") +
               layer.inputs.front().format + ", " + (readers.empty() ? "" : titles_of(view, readers) + " reads ") +
               layer.outputs.front().format};
}

std::optional<Cause> reformat_by_name(const EngineView& view, size_t index) {
  constexpr std::string_view kTo = " to ";
  const std::string& name = view.row(index).name;
  const size_t at = name.find(kTo);
  if (view.row(index).kind != "reformat" || !view.layer(index).inputs.empty() || at == std::string::npos)
    return std::nullopt;
  const std::string layer = name.substr(at + kTo.size());
  const auto nodes = computing_nodes(nodes_of({.name = layer}));
  return Cause{"type or layout differ in front of or behind " + (nodes.empty() ? layer : listed(nodes, 3)) +
                   " (the file has names only)",
               "trtexec --profilingVerbosity=detailed tells more"};
}

std::optional<Cause> copies(const EngineView& view, size_t index) {
  const auto& row = view.row(index);
  if (row.kind != "copy") return std::nullopt;
  const EngineLayer& layer = view.layer(index);
  if (layer.origin == "CONCAT" || layer.name.ends_with(" copy"))
    return Cause{
        "an input of a Concat is copied into the joint tensor: it has another reader, another scale, or comes "
        "from a layer that cannot write there",
        kRepair};
  const auto nodes = computing_nodes(row.nodes);
  if (!nodes.empty()) return Cause{"moves elements for " + listed(nodes, 3) + " of the network"};
  return Cause{"moves elements between two layers: " + layer.type};
}

}  // namespace detent
