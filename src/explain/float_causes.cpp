#include "explain/cause_rules.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "explain/layer_kind.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

/// Operators of a layer that is an Add with its activation.
constexpr std::array<std::string_view, 5> kOfAdd{"Add", "Relu", "Clip", "LeakyRelu", "Cast"};

/// Returns true where the layer is an Add of two values, of which it reads this one as the shortcut: inside a Conv, or
/// by itself with its activation. Add is also the name of a bias, and part of norms and of GELU.
bool adds_shortcut(const EngineView& view, const TensorReader& reader) {
  const EngineLayer& layer = view.layer(reader.layer);
  const auto& nodes = view.row(reader.layer).nodes;
  if (!holds_op(nodes, "Add")) return false;
  if (is_weighted(layer)) return reader.slot > 0;
  const bool alone = std::ranges::all_of(computing_nodes(nodes), [](const std::string& node) {
    return std::ranges::find(kOfAdd, op_of(node)) != kOfAdd.end();
  });
  const auto values =
      std::ranges::count_if(layer.inputs, [&view](const EngineTensor& tensor) { return view.varies(tensor); });
  return alone && values > 1;
}

bool reads_float(const TensorReader& reader) { return is_float_word(reader.type); }

/// Returns the first reader that takes a layer's output as floats and is no quantizer.
std::optional<TensorReader> float_reader(const EngineView& view, size_t index) {
  for (const TensorReader& reader : view.readers(index))
    if (reads_float(reader) && view.row(reader.layer).kind != "quantize") return reader;
  return std::nullopt;
}

/// Returns true for a layer that only passes on what its readers want: a MaxPool, or a layer that moves elements.
bool hands_on(const ExplainReport::Layer& row) { return row.kind == "copy" || holds_op(row.nodes, "MaxPool"); }

/// Says why `source` writes floats, by its first reader that wants them.
std::optional<Cause> because_of_reader(const EngineView& view, size_t source, const std::string& begin) {
  const auto reader = float_reader(view, source);
  if (!reader) return std::nullopt;
  const auto& row = view.row(reader->layer);
  const std::string title = title_of(row);
  if (reader->layer > source && hands_on(row))
    if (auto found = because_of_reader(view, reader->layer, begin + title + " hands it on, and ")) return found;
  if (adds_shortcut(view, *reader))
    return Cause{findings::kFloatShortcut,
                 begin + "the shortcut into " + title + " has no pair: its Add reads " + reader->type,
                 cure_of_shortcut(row)};
  if (const std::string why = why_always_float(view, reader->layer); !why.empty() && row.kind == "layer")
    return Cause{findings::kFloatOperator,
                 begin + title + " reads it as " + reader->type + " and computes in floats: " + why};
  return Cause{findings::kFloatReader,
               begin + title + " reads it as " + reader->type + ": it has no pair in front of it",
               cure_of_float(view, reader->layer)};
}

/// Returns the type of the shortcut that a layer's own Add reads as floats beside codes; "" without one.
std::string own_float_shortcut(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (layer.inputs.size() < 2 || type_word(layer.inputs[0].format) != "int8") return {};
  const std::string type = type_word(layer.inputs[1].format);
  return is_float_word(type) ? type : "";
}

bool is_quantizing(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  return view.row(index).kind == "quantize" && !layer.inputs.empty() && first_type(layer.outputs) == "int8";
}

}  // namespace

std::optional<Cause> pair_in_front_of_add(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (view.row(index).kind != "layer" || is_weighted(layer)) return std::nullopt;
  const auto codes = std::ranges::count_if(
      layer.inputs, [](const EngineTensor& tensor) { return type_word(tensor.format) == "int8"; });
  const auto work = kernel_operations(layer.name);
  const bool in_kernel = std::ranges::find(work, "Add") != work.end() && std::ranges::count(work, "Cast") >= 2;
  if (codes < 2 || !(in_kernel || holds_op(view.row(index).nodes, "Add"))) return std::nullopt;
  for (const size_t source : view.sources(index))
    if (is_weighted(view.layer(source)) && view.row(source).arithmetic == "int8")
      return Cause{
          findings::kPairInFrontOfAdd,
          "a pair on a Conv output in front of an Add: the Add cannot become part of " + title_of(view.row(source)),
          {kRemovePair}};
  return Cause{findings::kPairInFrontOfAdd,
               "pairs on both inputs of an Add, which no layer in front of it takes in",
               {kRemovePair}};
}

std::optional<Cause> writes_floats(const EngineView& view, size_t index) {
  const auto& row = view.row(index);
  if (row.kind != "layer" || row.arithmetic != "int8" || !is_float_word(row.output)) return std::nullopt;
  const std::string begin = "writes " + row.output + ": ";
  if (view.writes_network_output(index)) return Cause{findings::kBorder, begin + "it is the network's output"};
  if (auto found = because_of_reader(view, index, begin)) return found;
  if (const std::string type = own_float_shortcut(view, index); !type.empty())
    return Cause{findings::kFloatShortcut, begin + "the shortcut of its Add has no pair and is " + type,
                 cure_of_shortcut(row)};
  return Cause{findings::kFloatOperator, begin + "no reader of the file wants codes from it alone"};
}

std::optional<Cause> quantizes_network_input(const EngineView& view, size_t index) {
  if (!is_quantizing(view, index) || !view.sources(index).empty() || !view.reads_network_input(index))
    return std::nullopt;
  return Cause{findings::kBorder,
               "the network's input is " + first_type(view.layer(index).inputs) + ", and the first layer reads INT8",
               {"none is needed; an engine that is fed codes has no such layer"}};
}

std::optional<Cause> quantizes_beside_float_reader(const EngineView& view, size_t index) {
  if (!is_quantizing(view, index)) return std::nullopt;
  for (const size_t source : view.sources(index))
    if (auto found = because_of_reader(view, source, title_of(view.row(source)) + " writes floats: ")) return found;
  return std::nullopt;
}

std::optional<Cause> quantizes_behind_float_layer(const EngineView& view, size_t index) {
  if (!is_quantizing(view, index)) return std::nullopt;
  for (const size_t source : view.sources(index)) {
    const auto& row = view.row(source);
    const std::string title = title_of(row), shortcut = own_float_shortcut(view, source);
    if (!shortcut.empty())
      return Cause{findings::kFloatShortcut, "the shortcut into " + title + " has no pair, so it writes floats",
                   cure_of_shortcut(row)};
    if (row.kind == "copy")
      return Cause{findings::kFloatReader, title + " moves floats: the pair stands behind it, not in front", {kRepair}};
    if (row.arithmetic == "int8")
      return Cause{findings::kFloatReader, title + " computes in INT8 and writes " + row.output, {kRepair}};
    if (runs_in_floats_with_pairs(view, source))
      return Cause{findings::kNoInt8Kernel,
                   title + " has pairs and runs in " + row.arithmetic + ": the engine has no INT8 kernel for it",
                   leave_float(row)};
    if (const std::string why = why_always_float(view, source); !why.empty())
      return Cause{findings::kFloatOperator, title + " computes in " + row.arithmetic + ": " + why};
    const bool island = is_weighted(view.layer(source));
    return Cause{findings::kFloatReader,
                 title +
                     (island ? " is a float island: it computes in " : " has no pair in front of it: it computes in ") +
                     row.arithmetic,
                 cure_of_float(view, source)};
  }
  return std::nullopt;
}

std::optional<Cause> dequantizes(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  if (view.row(index).kind != "quantize" || first_type(layer.inputs) != "int8" ||
      !is_float_word(first_type(layer.outputs)))
    return std::nullopt;
  if (view.writes_network_output(index))
    return Cause{findings::kBorder,
                 "the network's output is " + first_type(layer.outputs) + ", and a layer of INT8 computes it"};
  for (const TensorReader& reader : view.readers(index)) {
    const auto& row = view.row(reader.layer);
    const std::string title = title_of(row);
    if (row.arithmetic == "int8" && is_float_word(row.output)) {
      const std::string begin = title + " reads its shortcut as " + reader.type + ", for it writes " + row.output;
      if (auto found = because_of_reader(view, reader.layer, begin + ": ")) return found;
      return Cause{findings::kFloatShortcut, begin, cure_of_shortcut(row)};
    }
    return Cause{findings::kFloatReader, title + " reads " + reader.type + " and computes in " + row.arithmetic,
                 cure_of_float(view, reader.layer)};
  }
  return std::nullopt;
}

std::optional<Cause> dequantizes_constant(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  const bool connected = !layer.outputs.empty() && !layer.outputs.front().name.empty();
  if (layer.type != "DequantizeLinear" || !connected || layer.inputs.empty() || !layer.inputs.front().name.empty())
    return std::nullopt;
  return Cause{findings::kConstant, "a constant is dequantized in each run: its reader computes in floats", {kRepair}};
}

}  // namespace detent
