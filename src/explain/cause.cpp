#include "explain/cause.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

/// Operators that TensorRT computes in INT8.
constexpr std::array<std::string_view, 16> kMayReadCodes{
    "Conv", "ConvTranspose", "Gemm", "MatMul",    "MaxPool", "AveragePool", "GlobalAveragePool", "Add",
    "Mul",  "Concat",        "Relu", "LeakyRelu", "Resize",  "Clip",        "ReduceMean",        "BatchNormalization"};

const std::string kAlsoRepair = std::string("; ") + kRepair;

}  // namespace

std::string first_type(const std::vector<EngineTensor>& tensors) {
  return tensors.empty() ? "unknown" : type_word(tensors.front().format);
}

Cure option_cure(std::string reason, std::string option, std::string node, const std::string& end) {
  std::string text = reason + "detent quantize " + option + " " + shell_quoted(node) + end;
  return {std::move(text), std::move(option), std::move(node), std::move(reason)};
}

bool may_read_codes(const ExplainReport::Layer& layer) {
  const auto nodes = computing_nodes(layer.nodes);
  return !nodes.empty() && !layer.block && std::ranges::all_of(nodes, [](const std::string& node) {
    return std::ranges::find(kMayReadCodes, op_of(node)) != kMayReadCodes.end();
  });
}

Cure cure_of_float(const ExplainReport::Layer& layer) {
  if (!may_read_codes(layer)) return {};
  return option_cure("", "--include", computing_nodes(layer.nodes).front(), kAlsoRepair);
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
    return {"detent quantize or cast with --io-type same changes the type, trtexec " + option + " the layout"};
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
