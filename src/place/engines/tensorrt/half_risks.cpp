#include "place/engines/tensorrt/half_risks.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "place/draft/graph_facts.h"

namespace detent::tensorrt {
namespace {

constexpr std::string_view kRiskyActivations =
    "Gelu HardSwish HardSigmoid LeakyRelu Elu Softplus Sigmoid Tanh Mish Erf";
constexpr int64_t kVector = 8;  ///< of channels, in FP16

/// Returns the nodes that make an activation of a value, in the order of the graph: those that compute element by
/// element from it, from constants and from each other alone.
std::vector<NodeId> activation_nodes(const GraphFacts& facts, ValueId value) {
  constexpr size_t kMostNodes = 8;
  const Graph& graph = facts.graph();
  std::set<NodeId> found;
  std::set<ValueId> made{value};
  const auto is_made = [&](ValueId input) {
    return !facts.is_float(input) || facts.is_constant(input) || made.contains(input);
  };
  for (std::vector<ValueId> open{value}; !open.empty() && found.size() < kMostNodes;) {
    const ValueId next = open.back();
    open.pop_back();
    for (const Use& use : graph.value(next).uses) {
      const OpKind kind = facts.kind(use.node);
      if (use.slot < 0 || !(is_activation(kind) || is_arithmetic(kind) || kind == OpKind::Gelu)) continue;
      const Node& node = graph.node(use.node);
      if (!std::ranges::all_of(present(node.inputs), is_made) || !found.insert(use.node).second) continue;
      made.insert(*node.output(0));
      open.push_back(*node.output(0));
    }
  }
  return {found.begin(), found.end()};
}

/// True for an activation with constants that TensorRT does not keep apart from the weights; x * Sigmoid(x) builds.
bool is_risky(const Graph& graph, ValueId value, const std::vector<NodeId>& activation) {
  const auto& uses = graph.value(value).uses;
  const auto is_product = [&](const Use& use) { return graph.node(use.node).op_type == "Mul"; };
  const bool silu = uses.size() == 2 && std::ranges::any_of(uses, is_product);
  return std::ranges::any_of(activation, [&](NodeId node) {
    const std::string_view op = graph.node(node).op_type;
    return has_word(kRiskyActivations, op) && !(silu && op == "Sigmoid");
  });
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
    const std::vector<NodeId> activation = activation_nodes(facts, *node.output(0));
    const bool risky = is_risky(graph, *node.output(0), activation);
    if (!odd && !(grouped && weight.rank() == 5) && !risky) continue;
    found.push_back(node.name);
    if (risky)
      for (const NodeId part : activation) found.push_back(graph.node(part).name);
  }
  return found;
}

}  // namespace detent::tensorrt
