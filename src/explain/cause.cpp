#include "explain/cause.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

/// Operators that TensorRT computes in floats, whatever pairs stand around them.
constexpr std::array<std::string_view, 28> kFloatOperators{"ArgMax",
                                                           "Cos",
                                                           "CumSum",
                                                           "Einsum",
                                                           "Erf",
                                                           "Exp",
                                                           "GRU",
                                                           "Gather",
                                                           "GatherND",
                                                           "Gelu",
                                                           "GridSample",
                                                           "GroupNormalization",
                                                           "LSTM",
                                                           "Log",
                                                           "LogSoftmax",
                                                           "InstanceNormalization",
                                                           "LpNormalization",
                                                           "NonMaxSuppression",
                                                           "LayerNormalization",
                                                           "Pow",
                                                           "RMSNormalization",
                                                           "Reciprocal",
                                                           "ScatterND",
                                                           "SimplifiedLayerNormalization",
                                                           "Sin",
                                                           "Softmax",
                                                           "Sqrt",
                                                           "TopK"};

const std::string kAlsoRepair = std::string("; ") + kRepair;

}  // namespace

std::string first_type(const std::vector<EngineTensor>& tensors) {
  return tensors.empty() ? "unknown" : type_word(tensors.front().format);
}

Cure option_cure(std::string reason, std::string option, std::string node, const std::string& end) {
  std::string text = reason + "detent quantize " + option + " " + shell_quoted(node) + end;
  return {std::move(text), std::move(option), std::move(node), std::move(reason)};
}

std::string why_always_float(const EngineView& view, size_t index) {
  const ExplainReport::Layer& layer = view.row(index);
  if (view.form() == "onnxruntime" || !view.layer(index).unit.empty()) return {};
  if (layer.block) return "nodes that are compiled as one";
  if (layer.type == "kgen") return "a kernel that TensorRT generates";
  const auto node = std::ranges::find_if(layer.nodes, [](const std::string& name) {
    return std::ranges::find(kFloatOperators, op_of(name)) != kFloatOperators.end();
  });
  return node == layer.nodes.end() ? "" : std::string(op_of(*node)) + " has no INT8 kernel";
}

Cure cure_of_float(const EngineView& view, size_t index) {
  const auto nodes = computing_nodes(view.row(index).nodes);
  if (nodes.empty() || !why_always_float(view, index).empty()) return {};
  return option_cure("", "--include", nodes.front(), kAlsoRepair);
}

Cure cure_of_shortcut(const ExplainReport::Layer& layer) {
  const auto add = std::ranges::find_if(layer.nodes, [](const std::string& node) { return op_of(node) == "Add"; });
  return add == layer.nodes.end() ? Cure{kRepair} : option_cure("", "--include", *add, kAlsoRepair);
}

Cure cure_of_float_types(const EngineView& view) {
  std::string text = "give all floats one type: detent cast, or detent quantize --float-type fp16";
  if (!view.is_strongly_typed()) text += "; trtexec --fp16 where types are weak";
  return {std::move(text)};
}

Cure cure_of_border(const EngineView& view, bool input) {
  const std::string option = input ? "--inputIOFormats" : "--outputIOFormats";
  // Types of TensorRT 11 are those of the file; the option only chooses among layouts.
  if (view.is_strongly_typed())
    return {"detent quantize or cast with --format io-type=same changes the type, trtexec " + option + " the layout"};
  return {"trtexec " + option + "=fp16:chw " +
          (input ? "(or int8, and the layout that the first layer reads) takes it away"
                 : "(or the layout of the last layer) takes it away")};
}

Cure leave_float(const ExplainReport::Layer& layer) {
  const auto nodes = computing_nodes(layer.nodes);
  if (nodes.empty()) return {};
  return option_cure("leave it float: ", "--exclude", nodes.front(), "");
}

std::string title_of(const ExplainReport::Layer& layer) {
  constexpr size_t kNodes = 3;
  if (layer.block) return "the block " + layer.name;
  const auto nodes = computing_nodes(layer.nodes);
  if (nodes.empty()) return layer.name;
  std::string title;
  for (size_t i = 0; i < std::min(nodes.size(), kNodes); ++i) title += (i > 0 ? " + " : "") + nodes[i];
  return nodes.size() > kNodes ? title + " + ..." : title;
}

}  // namespace detent
