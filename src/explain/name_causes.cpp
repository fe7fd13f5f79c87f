#include "explain/cause_rules.h"

#include <algorithm>

#include "core/text.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

bool has_names_only(const EngineView& view) { return view.form() == "names"; }

/// Returns true for a layer of the network whose type the file does not tell.
bool is_untold(const EngineView& view, size_t index) {
  return view.row(index).kind == "layer" && view.row(index).arithmetic == "unknown";
}

/// Returns the value that a quantizer is named after: "w" of "w_QuantizeLinear" and "w_DequantizeLinear".
std::string_view value_of_pair(std::string_view node) {
  for (const std::string_view end : {"_DequantizeLinear", "_QuantizeLinear"})
    if (node.ends_with(end)) return node.substr(0, node.size() - end.size());
  return {};
}

/// Returns the dequantizer by itself of a quantizer's value, or the layer where it is one; size() without one.
size_t dequantizer_of(const EngineView& view, size_t index) {
  const std::string_view value = value_of_pair(view.row(index).name);
  for (size_t at = index; at < view.size() && !value.empty(); ++at) {
    const auto& row = view.row(at);
    if (row.kind == "quantize" && is_dequantizer(row.name) && value_of_pair(row.name) == value) return at;
  }
  return view.size();
}

/// Returns true for a layer of the network right behind a dequantizer by itself.
bool follows_dequantizer(const EngineView& view, size_t index) {
  while (index-- > 0)
    if (const auto& row = view.row(index); row.kind != "none")
      return row.kind == "quantize" && is_dequantizer(row.name);
  return false;
}

/// Returns the first layer from `index` on that reads a dequantizer by itself; size() without one. Layers stand in the
/// order in which they run.
size_t next_without_kernel(const EngineView& view, size_t index) {
  while (index < view.size() && !(is_untold(view, index) && follows_dequantizer(view, index))) ++index;
  return index;
}

/// Returns the layer behind this one that costs time; size() without one.
size_t next_layer(const EngineView& view, size_t index) {
  for (++index; index < view.size() && view.row(index).kind == "none";) ++index;
  return index;
}

}  // namespace

std::optional<Cause> lacks_int8_kernel_by_name(const EngineView& view, size_t index) {
  if (!has_names_only(view)) return std::nullopt;
  const auto& row = view.row(index);
  if (is_untold(view, index) && follows_dequantizer(view, index))
    return Cause{findings::kNoInt8Kernel,
                 "has a pair and runs in floats: the engine has no INT8 kernel for it, and the dequantizer in front of "
                 "it is a layer by itself",
                 leave_float(row)};
  if (row.kind != "quantize") return std::nullopt;
  const size_t dequantizer = dequantizer_of(view, index);
  const size_t layer = next_without_kernel(view, dequantizer);
  if (dequantizer == view.size() || layer == view.size()) return std::nullopt;
  return Cause{findings::kNoInt8Kernel,
               "a pair in front of " + title_of(view.row(layer)) +
                   ", which runs in floats all the same: the engine has no INT8 kernel for it",
               leave_float(view.row(layer))};
}

std::optional<Cause> quantizer_by_name(const EngineView& view, size_t index) {
  if (view.row(index).kind != "quantize" || !view.layer(index).inputs.empty()) return std::nullopt;
  return Cause{findings::kNamesOnly,
               "a quantizer by itself: what stands in front of it writes floats (the file has names only)",
               {"trtexec --profilingVerbosity=detailed tells more; detent lint MODEL.onnx names missing pairs"}};
}

std::optional<Cause> reformat_by_name(const EngineView& view, size_t index) {
  constexpr std::string_view kTo = " to ";
  const std::string& name = view.row(index).name;
  const size_t at = name.find(kTo);
  if (view.row(index).kind != "reformat" || !view.layer(index).inputs.empty() || at == std::string::npos)
    return std::nullopt;
  const std::string layer = name.substr(at + kTo.size());
  const auto nodes = computing_nodes(nodes_of({.name = layer}));
  return Cause{findings::kNamesOnly,
               "type or layout differ in front of or behind " + (nodes.empty() ? layer : listed(nodes, 3)) +
                   " (the file has names only)",
               {kDetailed}};
}

std::optional<Cause> block_by_name(const EngineView& view, size_t index) {
  if (!view.row(index).block || !is_untold(view, index)) return std::nullopt;
  return Cause{findings::kBlock,
               "nodes that are compiled as one: the file tells neither their types nor those between the first and the "
               "last",
               {kDetailed}};
}

std::optional<Cause> normalization_by_name(const EngineView& view, size_t index) {
  constexpr std::string_view kMadeByParser = "(Unnamed Layer*";
  const auto& row = view.row(index);
  if (!has_names_only(view) || !is_untold(view, index) || row.name.find(kMadeByParser) == std::string::npos)
    return std::nullopt;
  if (holds_op(row.nodes, "BatchNormalization"))
    return Cause{findings::kFloatReader,
                 "a BatchNormalization by itself: the network computes its numbers, so it is not part of the Conv in "
                 "front of it, which writes floats",
                 {"export the model in evaluation mode, or let detent quantize fold it"}};
  if (!row.nodes.empty()) return std::nullopt;
  return Cause{findings::kNamesOnly,
               "the parser made it of parts of a node, such as the root in a BatchNormalization "
               "whose numbers the network computes"};
}

std::optional<Cause> float_by_name(const EngineView& view, size_t index) {
  if (!has_names_only(view) || !is_untold(view, index)) return std::nullopt;
  const size_t next = next_layer(view, index);
  if (next == view.size() || view.row(next).kind != "quantize" || !is_quantizer(view.row(next).name))
    return std::nullopt;
  return Cause{findings::kFloatReader,
               "writes floats: the next layer, " + view.row(next).name + ", is a quantizer by itself",
               {kDetailed}};
}

}  // namespace detent
