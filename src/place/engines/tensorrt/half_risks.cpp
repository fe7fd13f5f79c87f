#include "place/engines/tensorrt/half_risks.h"

#include <algorithm>

#include "core/text.h"
#include "place/draft/graph_facts.h"

namespace detent::tensorrt {
namespace {

constexpr std::string_view kRiskyActivations =
    "Gelu HardSwish HardSigmoid LeakyRelu Elu Softplus Sigmoid Tanh Mish Erf";
constexpr int64_t kVector = 8;  ///< of channels, in FP16

/// Returns the activation at risk behind a value, also of a GELU whose first operator is a constant Mul or Div; nullptr
/// where there is none. x * Sigmoid(x) builds.
const Node* risky_activation(const Graph& graph, ValueId value) {
  const auto& uses = graph.value(value).uses;
  const auto is_product = [&](const Use& use) { return graph.node(use.node).op_type == "Mul"; };
  const bool silu = uses.size() == 2 && std::ranges::any_of(uses, is_product);
  for (const Use& use : uses) {
    const Node& reader = graph.node(use.node);
    if (reader.op_type == "Sigmoid" && silu) continue;
    if (has_word(kRiskyActivations, reader.op_type)) return &reader;
    if (reader.op_type != "Mul" && reader.op_type != "Div") continue;
    for (const Use& next : graph.value(*reader.output(0)).uses)
      if (graph.node(next.node).op_type == "Erf") return &graph.node(next.node);
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> half_risks(const PlacementPlan& plan, const Graph& graph) {
  const GraphFacts facts(graph, *plan.target);
  std::vector<std::string> found;
  for (const LayerDecision& layer : plan.layers) {
    const OpKind kind = facts.kind(layer.node);
    if (!layer.runs_on_codes() || (kind != OpKind::Conv && kind != OpKind::ConvTranspose)) continue;
    const Node& node = graph.node(layer.node);
    const Shape& weight = facts.weight(layer.node).shape();
    const bool grouped = node.int_or("group", 1) != 1;
    const bool odd = kind == OpKind::ConvTranspose && (weight[0] % kVector != 0 || weight[1] % kVector != 0);
    if (odd || (grouped && weight.rank() == 5))
      found.push_back(facts.describe(layer.node));
    else if (const Node* activation = risky_activation(graph, *node.output(0)))
      found.push_back(facts.describe(layer.node) + " and " + facts.describe(activation->id));
  }
  return found;
}

}  // namespace detent::tensorrt
