#include <fmt/core.h>

#include "explain/cause_rules.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

/// Returns true for a layer by itself that makes floats of codes.
bool is_dequantizing(const EngineView& view, size_t index) {
  const EngineLayer& layer = view.layer(index);
  return view.row(index).kind == "quantize" && first_type(layer.inputs) == "int8" &&
         is_float_word(first_type(layer.outputs));
}

/// Returns true where a dequantizer by itself writes the tensor; reformats and layers that cost nothing may be between.
bool is_dequantized(const EngineView& view, const EngineTensor& tensor) {
  for (const size_t writer : view.writers(tensor.name)) {
    if (is_dequantizing(view, writer)) return true;
    const std::string& kind = view.row(writer).kind;
    if (kind != "reformat" && kind != "none") continue;
    const auto sources = view.sources(writer);
    if (std::ranges::any_of(sources, [&view](size_t source) { return is_dequantizing(view, source); })) return true;
  }
  return false;
}

/// Returns the readers behind a quantizer: those of the dequantizers that read it, and of itself.
std::vector<size_t> readers_behind_pair(const EngineView& view, size_t index) {
  constexpr size_t kMostReaders = 1000;
  std::vector<size_t> readers;
  for (const TensorReader& reader : view.readers(index)) {
    if (readers.size() > kMostReaders) break;
    if (!is_dequantizing(view, reader.layer)) {
      readers.push_back(reader.layer);
      continue;
    }
    for (const TensorReader& behind : view.readers(reader.layer)) readers.push_back(behind.layer);
  }
  return readers;
}

/// Returns what a layer by itself does for its reader.
std::string work_of(const EngineView& view, size_t index) {
  if (!is_dequantizing(view, index)) return "quantizes for ";
  return view.sources(index).empty() && !view.reads_network_input(index) ? "dequantizes the weights of "
                                                                         : "dequantizes for ";
}

/// Returns the dequantizers in front of a layer and the quantizers in front of these.
std::set<size_t> pairs_in_front(const EngineView& view, size_t index) {
  std::set<size_t> pairs;
  for (const size_t source : view.sources(index)) {
    if (!is_dequantizing(view, source)) continue;
    pairs.insert(source);
    for (const size_t quantizer : view.sources(source))
      if (view.row(quantizer).kind == "quantize") pairs.insert(quantizer);
  }
  return pairs;
}

}  // namespace

bool runs_in_floats_with_pairs(const EngineView& view, size_t index) {
  const auto& row = view.row(index);
  const EngineLayer& layer = view.layer(index);
  if (row.kind != "layer" || !is_float_word(row.arithmetic) || layer.inputs.empty()) return false;
  if (!is_dequantized(view, layer.inputs.front())) return false;
  if (!is_weighted(layer)) return true;
  return (layer.inputs.size() > 1 && is_dequantized(view, layer.inputs[1])) ||
         std::ranges::any_of(row.nodes, is_dequantizer);
}

std::optional<Cause> lacks_int8_kernel(const EngineView& view, size_t index) {
  if (!runs_in_floats_with_pairs(view, index)) return std::nullopt;
  const auto& row = view.row(index);
  const auto pairs = pairs_in_front(view, index);
  double share = 0;
  for (const size_t pair : pairs) share += view.row(pair).share;
  return Cause{findings::kNoInt8Kernel,
               "has pairs and runs in " + row.arithmetic + ": the engine has no INT8 kernel for it; " +
                   plural(pairs.size(), "layer that quantizes or dequantizes for it takes",
                          "layers that quantize or dequantize for it take") +
                   fmt::format(" {:.1f} %", 100 * share),
               leave_float(row)};
}

std::optional<Cause> serves_layer_without_kernel(const EngineView& view, size_t index) {
  if (view.row(index).kind != "quantize" || view.layer(index).inputs.empty()) return std::nullopt;
  const auto readers = readers_behind_pair(view, index);
  if (readers.empty() ||
      !std::ranges::all_of(readers, [&](size_t reader) { return runs_in_floats_with_pairs(view, reader); }))
    return std::nullopt;
  const auto& row = view.row(readers.front());
  return Cause{findings::kNoInt8Kernel,
               work_of(view, index) + title_of(row) + ", which runs in " + row.arithmetic +
                   " all the same: the engine has no INT8 kernel for it",
               leave_float(row)};
}

}  // namespace detent
