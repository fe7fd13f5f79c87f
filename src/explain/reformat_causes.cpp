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
    return Cause{findings::kBorder,
                 "a Cast of the network's input that changes nothing: " + change,
                 {"take the Cast out of the model"}};
  if (input)
    return Cause{findings::kBorder, "the network's input is not in the form that the first layer reads: " + change,
                 cure_of_border(view, true)};
  if (view.readers(index).empty() && view.writes_network_output(index))
    return Cause{findings::kBorder, "the network's output is not in the form that the last layer writes: " + change,
                 cure_of_border(view, false)};
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
  if (between.empty()) return Cause{findings::kTypeChange, "changes " + from + " to " + to, cure_of_float_types(view)};
  if (from != "int8" && to != "int8") return Cause{findings::kTypeChange, between, cure_of_float_types(view)};
  const auto& in_floats = from == "int8" ? readers : sources;
  return Cause{findings::kTypeChange, between, in_floats.empty() ? Cure{} : cure_of_float(view, in_floats.front())};
}

std::optional<Cause> changes_layout(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (view.row(index).kind != "reformat" || layer.inputs.empty() || layer.outputs.empty()) return std::nullopt;
  const auto sources = view.sources(index);
  std::vector<size_t> readers;
  for (const TensorReader& reader : view.readers(index)) readers.push_back(reader.layer);
  return Cause{findings::kLayoutChange,
               "only the layout differs: " + (sources.empty() ? "" : titles_of(view, sources) + " writes ") +
                   layer.inputs.front().format + ", " + (readers.empty() ? "" : titles_of(view, readers) + " reads ") +
                   layer.outputs.front().format};
}

std::optional<Cause> copies_into_joint_tensor(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  const bool named = is_named_copy(layer.name) || layer.origin == "CONCAT";
  if (view.row(index).kind != "copy" || !named) return std::nullopt;
  const std::string begin = "an input of a Concat is copied into the joint tensor: ";
  Cure measure;
  if (first_type(layer.inputs) == "int8")
    measure = {
        "none in this placement: time the float model in FP16 (detent cast), too, and leave the block float (detent "
        "quantize --exclude) if INT8 is not faster"};
  if (layer.inputs.empty())
    return Cause{findings::kConcatCopy,
                 begin + "it has another reader, another scale, or comes from a layer that cannot write there",
                 {kDetailed}};
  const std::string& value = layer.inputs.front().name;
  const auto readers = view.direct_readers(value);
  const auto is_joint_copy = [&](size_t reader) { return view.row(reader).kind == "copy"; };
  const auto copies = static_cast<size_t>(std::ranges::count_if(readers, is_joint_copy));
  if (const auto writers = view.writers(value); writers.size() > 1)
    return Cause{findings::kConcatCopy,
                 begin + "it lies in " + value +
                     " already, the joint tensor of another Concat, and a value lies in one " + "only; " +
                     plural(copies, "copy", "copies") + " read that tensor",
                 measure};
  const auto other = std::ranges::find_if(readers, [index](size_t reader) { return reader != index; });
  if (other != readers.end())
    return Cause{findings::kConcatCopy, begin + "it has another reader, " + title_of(view.row(*other)), measure};
  const auto sources = view.sources(index);
  return Cause{findings::kConcatCopy,
               begin + (sources.empty() ? "what writes it" : titles_of(view, sources)) + " cannot write there",
               measure};
}

std::optional<Cause> copies(const EngineView& view, size_t index) {
  const auto& row = view.row(index);
  if (row.kind != "copy") return std::nullopt;
  const auto nodes = computing_nodes(row.nodes);
  return Cause{findings::kMovement, nodes.empty() ? "moves elements between two layers: " + view.layer(index).type
                                                  : "moves elements for " + listed(nodes, 3) + " of the network"};
}

}  // namespace detent
