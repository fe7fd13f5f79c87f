#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "half/float_rules.h"
#include "half/half_slots.h"
#include "ops/traits.h"

namespace detent::half {
namespace {

/// Spectra span more powers of ten than FP16 has, and no engine computes them in FP16.
constexpr std::array<std::string_view, 2> kSpectra{"STFT", "DFT"};

std::string trouble_of_operator(const FloatDraft& draft, const Node& node) {
  if (!node.domain.empty()) return "its domain is not ONNX's";
  const auto holds_graph = [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  };
  if (std::ranges::any_of(node.attributes, holds_graph)) return "it holds a graph, which is not converted";
  if (std::ranges::count(kSpectra, std::string_view(node.op_type)) > 0) return "spectra are computed in FP32";
  const OpKind kind = draft.kind(node);
  if (kind == OpKind::QOperator) return "its scales are FP32";
  const bool pair = kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear;
  if (pair && !draft.format().half_scales) return "its scales stay FP32";
  if (kind == OpKind::QuantizeLinear && !draft.is_float(node.input(0))) return "its input is no float";
  if (kind != OpKind::QuantizeLinear && names_its_type(draft.graph(), node))
    return "the operator determines its output type";
  if (computes_in(draft.graph(), node, draft.format().type)) return {};
  return "opset " + std::to_string(draft.graph().opset()) + " does not define it for " +
         std::string(name_of(draft.format().type));
}

}  // namespace

void operators(FloatDraft& draft) {
  const Graph& graph = draft.graph();
  for (const Node& node : graph.nodes())
    if (std::string why = trouble_of_operator(draft, node); !why.empty())
      draft.keep({node.id, "operator", kNoValue, 0, std::move(why)});
  for (const Value& value : graph.values())
    for (const Use& use : value.uses)
      if (use.slot < 0 && value.producer && draft.reach(value.id))
        draft.keep({*value.producer, "operator", value.id, 0,
                    "the graph inside '" + graph.node(use.node).name + "' reads '" + value.name + "'"});
}

}  // namespace detent::half
