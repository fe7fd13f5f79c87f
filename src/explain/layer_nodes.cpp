#include "explain/layer_nodes.h"

#include <algorithm>
#include <array>

namespace detent {

namespace {

constexpr std::string_view kItem = "[ONNX Layer: ", kJoints = "\x1e\x1f";
constexpr std::string_view kBlock = "{ForeignNode[", kBlockEnd = "]}";
/// The end of names of weights that are codes, as Detent and ONNX Runtime's tool name them.
constexpr std::string_view kCodesOfWeights = "_quantized";

/// Words that builders put in front of names of tensors, and of layers that are in no ONNX file.
constexpr std::array<std::string_view, 12> kMadeInFront{
    "(Unnamed Layer*",  "Reformatting CopyNode", "transpose_before_",
    "transpose_after_", "unsqueeze_node_",       "copied_squeeze_",
    "squeeze_after_",   "reshape_before_",       "reshape_after_",
    "onnx::",           "[trainStation",         "__my"};
/// Ends of names of tensors, which stand in names of layers too.
constexpr std::array<std::string_view, 9> kTensorEnds{".weight",       ".bias",        "_output_0",
                                                      ".running_mean", ".running_var", "kernel:0",
                                                      " copy",         "[Constant]",   kCodesOfWeights};

bool is_tensor_or_made(std::string_view name) {
  return name.empty() ||
         std::ranges::any_of(kMadeInFront, [&](std::string_view word) { return name.starts_with(word); }) ||
         std::ranges::any_of(kTensorEnds, [&](std::string_view word) { return name.ends_with(word); });
}

void add_once(std::string_view name, std::vector<std::string>& nodes) {
  if (std::ranges::find(nodes, name) == nodes.end()) nodes.emplace_back(name);
}

std::vector<std::string> nodes_of_metadata(std::string_view metadata) {
  std::vector<std::string> nodes;
  for (size_t at = metadata.find(kItem); at != std::string_view::npos;) {
    const size_t next = metadata.find(kItem, at + 1);
    std::string_view name = metadata.substr(0, next).substr(at + kItem.size());
    name = name.substr(0, name.find_first_of(kJoints));
    name = name.substr(0, name.rfind(']'));
    add_once(name, nodes);
    at = next;
  }
  return nodes;
}

/// Splits at `separator` outside of parentheses.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth != 0 || !text.substr(at).starts_with(separator)) continue;
    parts.push_back(text.substr(begin, at - begin));
    begin = at + separator.size();
    at = begin - 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Adds the nodes of "w + Conv_1 + PWN(Relu_2, Mul_3)", "Conv_1 || Conv_2" and "{ForeignNode[first...last]}".
void add_nodes(std::string_view text, std::vector<std::string>& nodes, int depth = 0) {
  constexpr int kDeepest = 100;
  if (depth > kDeepest) return;
  constexpr std::string_view kFused = "PWN(", kTorch = "]-[";
  if (is_block(text)) {
    text = text.substr(kBlock.size(), text.size() - kBlock.size() - kBlockEnd.size());
    const size_t dots = text.find("...");
    add_nodes(text.substr(0, dots), nodes, depth + 1);
    if (dots != std::string_view::npos) add_nodes(text.substr(dots + 3), nodes, depth + 1);
    return;
  }
  for (const std::string_view separator : {" || ", " + ", ", "}) {
    const auto parts = split(text, separator);
    if (parts.size() == 1) continue;
    for (const std::string_view part : parts) add_nodes(part, nodes, depth + 1);
    return;
  }
  if (text.starts_with(kFused) && text.ends_with(')')) {
    add_nodes(text.substr(kFused.size(), text.size() - kFused.size() - 1), nodes, depth + 1);
    return;
  }
  if (const size_t at = text.rfind(kTorch); at != std::string_view::npos && text.ends_with(']'))
    text = text.substr(at + kTorch.size(), text.size() - at - kTorch.size() - 1);
  if (!is_tensor_or_made(text)) add_once(text, nodes);
}

/// Returns the name without "_myl2_15" at its end.
std::string_view without_region(std::string_view name) {
  const size_t at = name.rfind("_myl");
  const bool ends =
      at != std::string_view::npos && at > 0 && name.find_first_not_of("0123456789_", at + 4) == std::string_view::npos;
  return ends ? name.substr(0, at) : name;
}

}  // namespace

std::vector<std::string> nodes_of(const EngineLayer& layer) {
  std::vector<std::string> nodes = nodes_of_metadata(layer.metadata);
  constexpr std::string_view kReformats = "Reformatting ";
  if (!nodes.empty() || layer.name.starts_with(kReformats) || layer.type == "Constant") return nodes;
  add_nodes(without_region(layer.name), nodes);
  return nodes;
}

std::vector<std::string> weights_in_name(std::string_view name) {
  std::vector<std::string> weights;
  for (const std::string_view part : split(name, " + "))
    if (part.ends_with(".weight")) add_once(part, weights);
  return weights;
}

bool holds_codes_of_weights(std::string_view name) {
  return std::ranges::any_of(split(name, " + "), [](std::string_view part) { return part.ends_with(kCodesOfWeights); });
}

bool is_block(std::string_view name) { return name.starts_with(kBlock) && name.ends_with(kBlockEnd); }

std::string_view op_of(std::string_view node) {
  constexpr std::string_view kClone = "_clone";
  if (const size_t slash = node.rfind('/'); slash != std::string_view::npos) node.remove_prefix(slash + 1);
  for (;;) {
    const size_t end = node.find_last_not_of("0123456789");
    if (end == std::string_view::npos || end + 1 == node.size() || node[end] != '_') break;
    node = node.substr(0, end);
    if (node.ends_with(kClone)) node.remove_suffix(kClone.size());
  }
  return node;
}

bool is_dequantizer(std::string_view node) { return op_of(node).ends_with("DequantizeLinear"); }
bool is_quantizer(std::string_view node) { return op_of(node).ends_with("QuantizeLinear"); }

bool holds_op(const std::vector<std::string>& nodes, std::string_view op) {
  return std::ranges::any_of(nodes, [op](const std::string& node) { return op_of(node) == op; });
}

std::vector<std::string> computing_nodes(const std::vector<std::string>& nodes) {
  std::vector<std::string> computing;
  for (const std::string& node : nodes)
    if (!is_quantizer(node) && !is_dequantizer(node)) computing.push_back(node);
  return computing.empty() ? nodes : computing;
}

}  // namespace detent
