#include "explain/cause.h"

#include <algorithm>
#include <array>

#include "core/text.h"
#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

/// Operators that may read codes.
constexpr std::array<std::string_view, 15> kMayReadCodes{
    "Conv", "ConvTranspose", "Gemm", "MatMul",    "MaxPool", "AveragePool", "GlobalAveragePool", "Add",
    "Mul",  "Concat",        "Relu", "LeakyRelu", "Resize",  "Clip",        "ReduceMean"};

}  // namespace

std::string first_type(const std::vector<EngineTensor>& tensors) {
  return tensors.empty() ? "unknown" : type_word(tensors.front().format);
}

std::string cure_of_float(const ExplainReport::Layer& layer) {
  const auto may_read = [](const std::string& node) {
    return std::ranges::find(kMayReadCodes, op_of(node)) != kMayReadCodes.end();
  };
  const auto node = std::ranges::find_if(layer.nodes, may_read);
  if (node == layer.nodes.end() || layer.type == "Myelin") return kFloatAround;
  return "detent quantize --include " + shell_quoted(*node) + ", or detent repair for a file that has pairs";
}

std::string title_of(const ExplainReport::Layer& layer) {
  constexpr size_t kNodes = 3;
  const auto nodes = computing_nodes(layer.nodes);
  if (nodes.empty()) return layer.name;
  std::string title;
  for (size_t i = 0; i < std::min(nodes.size(), kNodes); ++i) title += (i > 0 ? " + " : "") + nodes[i];
  return nodes.size() > kNodes ? title + " + ..." : title;
}

}  // namespace detent
