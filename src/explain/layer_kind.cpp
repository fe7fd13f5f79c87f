#include "explain/layer_kind.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <utility>

#include "explain/layer_nodes.h"
#include "explain/type_words.h"

namespace detent {

namespace {

struct KindRow {
  std::string_view type, origin, kind;  ///< an empty origin stands for every other one
};

/// Types of TensorRT and of Rockchip's compiler, and operators of ONNX Runtime. The first row that fits decides.
constexpr std::array<KindRow, 30> kKinds{{
    {"NoOp", "", "none"},
    {"Constant", "", "none"},
    {"TrainStation", "", "none"},
    {"DeviceToShapeHost", "", "none"},
    {"ShapeHostToDevice", "", "none"},
    {"shape_call", "", "none"},
    {"signal", "", "none"},
    {"wait", "", "none"},
    {"Reformat", "QDQ", "quantize"},
    {"Reformat", "CONCAT", "copy"},
    {"Reformat", "SLICE", "copy"},
    {"Reformat", "", "reformat"},
    {"MyelinReformat", "", "reformat"},
    {"Shuffle", "", "copy"},
    {"Slice", "", "copy"},
    {"Quantize", "", "quantize"},
    {"Dequantize", "", "quantize"},
    {"QuantizeLinear", "", "quantize"},
    {"DequantizeLinear", "", "quantize"},
    {"DynamicQuantizeLinear", "", "quantize"},
    {"Cast", "", "reformat"},
    {"ReorderInput", "", "reformat"},
    {"ReorderOutput", "", "reformat"},
    {"Transpose", "", "copy"},
    {"Reshape", "", "copy"},
    {"Flatten", "", "copy"},
    {"MemcpyToHost", "", "copy"},
    {"MemcpyFromHost", "", "copy"},
    {"Split", "", "copy"},
    {"exDataConvert", "", "reformat"},
}};

/// Operations of generated kernels that move elements.
constexpr std::array<std::string_view, 7> kMoves{"Move", "Tran", "Resh", "Slic", "Repl", "Conc", "Expd"};
/// Words of three letters, as TensorRT 10.6 cuts them, and those of four, as other versions do. "Res" may be Resize.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kCutWords{{{"Cas", "Cast"},
                                                                                  {"Con", "Conc"},
                                                                                  {"Mov", "Move"},
                                                                                  {"Rep", "Repl"},
                                                                                  {"Res", "Resh"},
                                                                                  {"Rou", "Roun"},
                                                                                  {"Sli", "Slic"},
                                                                                  {"Tra", "Tran"}}};
/// Operations of which a quantizer (with Roun) and a dequantizer (Cast and Mul) consist.
constexpr std::array<std::string_view, 5> kCodes{"Mul", "Min", "Max", "Roun", "Cast"};

bool holds(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns the kind of a generated kernel.
std::string_view kind_of_kernel(const EngineLayer& layer) {
  std::vector<std::string_view> work = kernel_operations(layer.name);
  if (work.empty()) return "layer";
  std::erase_if(work, [](std::string_view operation) { return holds(kMoves, operation); });
  if (work.empty()) return holds_op(nodes_of(layer), "Resize") ? "layer" : "copy";
  if (std::ranges::all_of(work, [](std::string_view operation) { return operation == "Cast"; })) return "reformat";
  if (!std::ranges::all_of(work, [](std::string_view operation) { return holds(kCodes, operation); })) return "layer";
  const bool reads_codes = !layer.inputs.empty() && type_word(layer.inputs.front().format) == "int8";
  const bool dequantizes = reads_codes && work.size() == 2 && work[0] == "Cast" && work[1] == "Mul";
  return holds(work, "Roun") || dequantizes ? "quantize" : "layer";
}

/// Returns the kind by the name alone, of files without types.
std::string_view kind_of_name(const EngineLayer& layer) {
  if (layer.ms && *layer.ms == 0) return "none";
  if (layer.name.starts_with("Reformatting CopyNode")) return "reformat";
  if (is_named_copy(layer.name)) return "copy";
  if (layer.name.starts_with("dummy_shape_call")) return "none";
  if (const std::string_view kind = kind_of_kernel(layer); kind != "layer") return kind;
  if (layer.name.starts_with("[trainStation") || layer.name.ends_with("ShapeHostCopy]")) return "none";
  const auto nodes = nodes_of(layer);
  if (nodes.empty() && layer.name.find("[Shuffle]") != std::string::npos) return "none";  // a constant
  if (nodes.empty() && (layer.name.ends_with("[Constant]") || holds_codes_of_weights(layer.name))) return "none";
  return nodes.size() == 1 && layer.name == nodes.front() && (is_quantizer(layer.name) || is_dequantizer(layer.name))
             ? "quantize"
             : "layer";
}

/// Returns true for a Reformat without its origin, as in logs, that is the node of a pair, and for a Scale that does
/// nothing else, such as one that dequantizes weights.
bool is_node_of_pair(const EngineLayer& layer) {
  if (layer.type != "Scale" && (layer.type != "Reformat" || !layer.origin.empty())) return false;
  return !layer.name.starts_with("Reformatting ") && (is_quantizer(layer.name) || is_dequantizer(layer.name));
}

}  // namespace

bool is_named_copy(std::string_view name) {
  if (const size_t number = name.rfind(" ("); number != std::string_view::npos && name.ends_with(')'))
    if (name.find_first_not_of("0123456789", number + 2) == name.size() - 1) name = name.substr(0, number);
  return name.ends_with(" copy");
}

std::vector<std::string_view> kernel_operations(std::string_view name) {
  constexpr std::string_view kBegin = "__myl_";
  std::vector<std::string_view> operations;
  const size_t end = name.rfind("_myl");
  if (!name.starts_with(kBegin) || end == std::string_view::npos || end < kBegin.size()) return operations;
  name = name.substr(kBegin.size(), end - kBegin.size());
  for (size_t at = 0; at < name.size();) {
    size_t next = at + 1;
    while (next < name.size() && std::isupper(static_cast<unsigned char>(name[next])) == 0) ++next;
    const std::string_view word = name.substr(at, next - at);
    const auto cut = std::ranges::find(kCutWords, word, [](const auto& row) { return row.first; });
    operations.push_back(cut == kCutWords.end() ? word : cut->second);
    at = next;
  }
  return operations;
}

std::string kind_of(const EngineLayer& layer) {
  if (layer.type.empty()) return std::string(kind_of_name(layer));
  if (layer.type == "kgen") return std::string(kind_of_kernel(layer));
  if (is_node_of_pair(layer)) return "quantize";
  if (layer.type == "Reformat" && layer.origin.empty() && is_named_copy(layer.name)) return "copy";
  const auto row = std::ranges::find_if(kKinds, [&layer](const KindRow& kind) {
    return kind.type == layer.type && (kind.origin.empty() || kind.origin == layer.origin);
  });
  return std::string(row == kKinds.end() ? "layer" : row->kind);
}

}  // namespace detent
