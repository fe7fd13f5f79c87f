// Source of the types: ONNX docs/Operators.md and Changelog.md, opset 22 for BFloat16.

#include <algorithm>
#include <array>
#include <string_view>

#include "half/float_rules.h"
#include "ops/traits.h"

namespace detent::half {
namespace {

/// Take or make Float32 alone, or a type that an attribute names.
constexpr std::array<std::string_view, 27> kFloat32Only{"NonMaxSuppression",
                                                        "Range",
                                                        "Celu",
                                                        "TfIdfVectorizer",
                                                        "MelWeightMatrix",
                                                        "HannWindow",
                                                        "HammingWindow",
                                                        "BlackmanWindow",
                                                        "RandomNormal",
                                                        "RandomUniform",
                                                        "RandomNormalLike",
                                                        "RandomUniformLike",
                                                        "EyeLike",
                                                        "Bernoulli",
                                                        "Multinomial",
                                                        "CastLike",
                                                        "ImageDecoder",
                                                        "SequenceConstruct",
                                                        "SequenceInsert",
                                                        "SequenceAt",
                                                        "SequenceErase",
                                                        "ConcatFromSequence",
                                                        "SplitToSequence",
                                                        "Optional",
                                                        "OptionalGetElement",
                                                        "OptionalHasElement",
                                                        "SequenceEmpty"};
/// Spectra span more powers of ten than FP16 has, and no engine computes them in it.
constexpr std::array<std::string_view, 2> kSpectra{"STFT", "DFT"};
/// Got BFloat16 with opset 22.
constexpr std::array<std::string_view, 38> kBFloat16From22{"Acos",
                                                           "Acosh",
                                                           "Asin",
                                                           "Asinh",
                                                           "Atan",
                                                           "Atanh",
                                                           "AveragePool",
                                                           "Conv",
                                                           "Cos",
                                                           "Cosh",
                                                           "ConvTranspose",
                                                           "DeformConv",
                                                           "Det",
                                                           "Dropout",
                                                           "Elu",
                                                           "GRU",
                                                           "LSTM",
                                                           "RNN",
                                                           "GlobalAveragePool",
                                                           "GlobalLpPool",
                                                           "GlobalMaxPool",
                                                           "GridSample",
                                                           "HardSigmoid",
                                                           "HardSwish",
                                                           "InstanceNormalization",
                                                           "LpNormalization",
                                                           "LpPool",
                                                           "MaxPool",
                                                           "MaxRoiPool",
                                                           "MaxUnpool",
                                                           "Mish",
                                                           "RoiAlign",
                                                           "Round",
                                                           "Selu",
                                                           "Sin",
                                                           "Softplus",
                                                           "Softsign",
                                                           "ThresholdedRelu"};

std::string_view trouble_of_operator(const FloatDraft& draft, const Node& node) {
  if (!node.domain.empty()) return "its domain is not ONNX's";
  const auto holds_graph = [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  };
  if (std::ranges::any_of(node.attributes, holds_graph)) return "it holds a graph, which stays as it is";
  const auto among = [&](const auto& list) { return std::ranges::count(list, std::string_view(node.op_type)) > 0; };
  if (among(kFloat32Only)) return "the operator is defined for FP32, or makes a type of its own";
  if (among(kSpectra)) return "spectra are computed in FP32";
  const OpKind kind = draft.kind(node);
  if (kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear || kind == OpKind::QOperator)
    return "its scales are FP32";
  if (draft.format().type == DataType::BFloat16 && draft.graph().opset() < 22 && among(kBFloat16From22))
    return "ONNX has it for BFloat16 from opset 22 on";
  return {};
}

}  // namespace

void operators(FloatDraft& draft) {
  const Graph& graph = draft.graph();
  for (const Node& node : graph.nodes())
    if (const std::string_view why = trouble_of_operator(draft, node); !why.empty())
      draft.keep({node.id, "operator", kNoValue, 0, std::string(why)});
  for (const Value& value : graph.values())
    for (const Use& use : value.uses)
      if (use.slot < 0 && value.producer != kNoNode && draft.reach(value.id))
        draft.keep({value.producer, "operator", value.id, 0,
                    "the graph inside '" + graph.node(use.node).name + "' reads '" + value.name + "'"});
}

}  // namespace detent::half
