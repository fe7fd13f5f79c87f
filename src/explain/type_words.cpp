#include "explain/type_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "explain/layer_nodes.h"

namespace detent {

namespace {

using Word = std::pair<std::string_view, std::string_view>;

/// Part of a tensor's format, and the word. The first that occurs decides.
constexpr std::array<Word, 27> kFormats{
    {{"Int8", "int8"},     {"int8", "int8"},     {"INT8", "int8"},    {"INT", "other"},    {"BF16", "bf16"},
     {"BFloat16", "bf16"}, {"bfloat16", "bf16"}, {"FP16", "fp16"},    {"Half", "fp16"},    {"Float16", "fp16"},
     {"float16", "fp16"},  {"FP8", "fp8"},       {"float8", "fp8"},   {"FP32", "fp32"},    {"Float", "fp32"},
     {"float", "fp32"},    {"Int", "other"},     {"int", "other"},    {"Bool", "other"},   {"BOOL", "other"},
     {"bool", "other"},    {"FP4", "other"},     {"double", "other"}, {"string", "other"}, {"E8M0", "other"},
     {"complex", "other"}, {"UInt8", "int8"}}};

/// Part of a kernel's name, and the type in which it multiplies.
constexpr std::array<Word, 24> kKernels{
    {{"e4m3", "fp8"},     {"fp8", "fp8"},         {"i8i8", "int8"},  {"i8f16", "int8"},  {"i8f32", "int8"},
     {"_i8i32_", "int8"}, {"int8", "int8"},       {"s8_s8", "int8"}, {"_s8_", "int8"},   {"i8816", "int8"},
     {"_i64x", "int8"},   {"imma", "int8"},       {"bf16", "bf16"},  {"f16f16", "fp16"}, {"h884", "fp16"},
     {"h168", "fp16"},    {"16gemm_f16", "fp16"}, {"fp16", "fp16"},  {"hmma", "fp16"},   {"tf32", "fp32"},
     {"f32f32", "fp32"},  {"ffma", "fp32"},       {"fp32", "fp32"},  {"sgemm", "fp32"}}};

/// Parts of types of layers with weights or products, of TensorRT and ONNX Runtime.
constexpr std::array<std::string_view, 14> kWeighted{
    "Conv",   "conv_act_pool", "correlation",    "deconv",         "Deconv",    "Gemm", "gemm",
    "fusion", "MatMul",        "MatrixMultiply", "FullyConnected", "Attention", "LSTM", "GRU"};
constexpr std::array<std::string_view, 4> kWeightedNodes{"Conv", "ConvTranspose", "Gemm", "MatMul"};

template <size_t N>
std::string found_word(const std::array<Word, N>& words, std::string_view text, std::string_view otherwise) {
  const auto found =
      std::ranges::find_if(words, [text](const Word& word) { return text.find(word.first) != std::string_view::npos; });
  return std::string(found == words.end() ? otherwise : found->second);
}

bool tells(const std::string& word) { return word == "int8" || is_float_word(word); }

/// Returns the word of the first tensor that has one for which `fits` is true; "" without one.
template <class Fits>
std::string first_word(const EngineLayer& layer, const Fits& fits) {
  for (const auto* tensors : {&layer.inputs, &layer.outputs})
    for (const EngineTensor& tensor : *tensors)
      if (const std::string word = type_word(tensor.format); fits(word)) return word;
  return {};
}

/// Returns the type of the tensors. A generated kernel that multiplies or adds does so in a float type.
std::string word_of_tensors(const EngineLayer& layer) {
  const bool adds = layer.type == "kgen" &&
                    (layer.name.find("Mul") != std::string::npos || layer.name.find("Add") != std::string::npos);
  const std::string word = adds ? first_word(layer, is_float_word) : first_word(layer, tells);
  if (!word.empty()) return word;
  const bool other = !adds && first_word(layer, [](const std::string& w) { return w == "other"; }) == "other";
  return other ? "other" : "unknown";
}

/// Returns "int8" where the name holds the quantizer of the weights, or weights that are quantized in the file: files
/// with names only tell no more.
std::string word_of_names(const EngineLayer& layer) {
  return holds_codes_of_weights(layer.name) || std::ranges::any_of(nodes_of(layer), is_quantizer) ? "int8" : "unknown";
}

}  // namespace

std::string type_word(std::string_view format) { return found_word(kFormats, format, "unknown"); }

bool is_float_word(std::string_view word) {
  return word == "fp16" || word == "fp32" || word == "fp8" || word == "bf16";
}

bool is_weighted(const EngineLayer& layer) {
  const auto in_type = [&](std::string_view part) { return layer.type.find(part) != std::string::npos; };
  if (!layer.type.empty()) return std::ranges::any_of(kWeighted, in_type);
  const auto nodes = nodes_of(layer);
  return std::ranges::any_of(kWeightedNodes, [&](std::string_view op) { return holds_op(nodes, op); });
}

std::string arithmetic_of(const EngineLayer& layer) {
  const bool weighted = is_weighted(layer);
  if (layer.type.starts_with("QLinear") || layer.type.ends_with("Integer")) return "int8";
  if (weighted && layer.type.starts_with("DynamicQuantize")) return "int8";  // reads floats beside INT8 weights
  if (layer.type.empty()) return weighted ? word_of_names(layer) : "unknown";
  if (!weighted) return word_of_tensors(layer);
  if (const std::string word = type_word(layer.weights); tells(word)) return word;
  // The tensor that a product reads first is that of the activations.
  if (!layer.inputs.empty() && type_word(layer.inputs.front().format) == "int8") return "int8";
  if (const std::string word = found_word(kKernels, layer.tactic, ""); !word.empty()) return word;
  return word_of_tensors(layer);
}

}  // namespace detent
