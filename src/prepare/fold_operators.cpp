#include "prepare/fold_operators.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "model/graph_patch.h"
#include "ops/traits.h"
#include "prepare/layer_channels.h"

namespace detent {

namespace {

/// A weighted node, and the operators by constants behind it in order.
struct OperatorChain {
  LayerChannels layer;
  std::vector<const Node*> steps;
};

/// Operators in front of which a number belongs to a pattern: HardSigmoid and HardSwish with their bounds, attention,
/// GELU, and activations written with Exp.
bool gives_meaning(const Node& node) {
  constexpr std::array<std::string_view, 13> kMeaning{
      "Clip", "Div", "Einsum", "Erf", "Exp", "LogSoftmax", "MatMul", "Max", "Min", "Pow", "Sigmoid", "Softmax", "Tanh"};
  return std::ranges::find(kMeaning, node.op_type) != kMeaning.end();
}

bool passes_on(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  return keeps_elements(traits) || traits.kind == OpKind::Concat || traits.kind == OpKind::Cast ||
         node.op_type == "Identity";
}

/// True where an operator that gives meaning reads the value, also behind copies, or the graph writes it.
bool has_meaning(const Graph& graph, ValueId value) {
  std::vector<ValueId> open{value};
  std::set<ValueId> seen{value};
  while (!open.empty()) {
    const Value& read = graph.value(open.back());
    open.pop_back();
    if (read.is_output) return true;
    for (const Use& use : read.uses) {
      const Node& reader = graph.node(use.node);
      if (gives_meaning(reader)) return true;
      if (use.slot < 0 || !passes_on(graph, reader)) continue;
      for (const ValueId output : present(reader.outputs))
        if (seen.insert(output).second) open.push_back(output);
    }
  }
  return false;
}

/// True for an operator by one number. A layer of one channel has a bias of one number: of shape [1, 1, 1], say.
bool is_by_number(const Graph& graph, const Node& node, const LayerChannels& layer) {
  const Tensor& constant = *graph.constant(node.inputs[*operator_constant(graph, node)]);
  return constant.element_count() == 1 && (layer.count() > 1 || constant.shape().rank() < 2);
}

/// True where an Add of two values reads the value. OpenVINO makes one kernel of a Conv and its sum and runs it and the
/// layers in front of it in float: 3 of 20 layers of exports/convnext_mini, whose layer scales stand between.
bool is_summed(const Graph& graph, ValueId value) {
  return std::ranges::any_of(graph.value(value).uses, [&](const Use& use) {
    if (use.slot < 0 || graph.node(use.node).op_type != "Add") return false;
    return std::ranges::none_of(present(graph.node(use.node).inputs),
                                [&](ValueId input) { return graph.value(input).is_constant; });
  });
}

/// True where factors alone stand behind a layer: the layer scale of a ConvNeXt. A normalization has shifts, too.
bool is_scale(const OperatorChain& chain) {
  return std::ranges::all_of(chain.steps,
                             [](const Node* step) { return step->op_type == "Mul" || step->op_type == "Div"; });
}

OperatorChain chain_behind(const Graph& graph, LayerChannels layer) {
  OperatorChain chain{std::move(layer), {}};
  MaybeValue value = chain.layer.node->output(0);
  while (is_private(graph, value)) {
    const Use& use = graph.value(*value).uses.front();
    const Node& next = graph.node(use.node);
    if (use.slot < 0 || !next.output(0) || !operator_affine(graph, next, chain.layer)) break;
    chain.steps.push_back(&next);
    value = next.output(0);
  }
  if (!chain.steps.empty() && is_scale(chain) && is_summed(graph, *value)) chain.steps.clear();
  const auto by_number = [&](const Node* step) { return is_by_number(graph, *step, chain.layer); };
  if (!chain.steps.empty() && by_number(chain.steps.back()) && has_meaning(graph, *value))
    while (!chain.steps.empty() && by_number(chain.steps.back())) chain.steps.pop_back();
  return chain;
}

/// Returns the chain behind a node; without steps where there is none.
OperatorChain chain_of(const Graph& graph, const Node& node) {
  // Most layers have none: looks for its first operator before it reads weights and bias.
  const MaybeValue output = node.output(0);
  const Use* use = is_private(graph, output) ? &graph.value(*output).uses.front() : nullptr;
  if (!use || use->slot < 0 || !operator_constant(graph, graph.node(use->node))) return {};
  auto layer = layer_channels(graph, node);
  return layer ? chain_behind(graph, std::move(*layer)) : OperatorChain{};
}

/// Adds the changes that fold one chain. Returns false where a number does not fit the weight's type.
bool fold(const Graph& graph, const OperatorChain& chain, ConstantEditor& editor) {
  ChannelAffine affine = unchanged_channels(chain.layer.count());
  for (const Node* step : chain.steps) append(affine, *operator_affine(graph, *step, chain.layer));
  const std::string& output = graph.value(*chain.steps.back()->output(0)).name;
  if (!fold_into_layer(chain.layer, affine, output, editor)) return false;
  for (const Node* step : chain.steps) editor.patch().remove_nodes.push_back(step->name);
  editor.patch().rename_outputs.push_back({chain.layer.node->name, 0, output});
  return true;
}

}  // namespace

bool has_foldable_operators(const Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) { return !chain_of(graph, node).steps.empty(); });
}

size_t fold_operators(Model& model) {
  const Graph& graph = model.graph();
  ConstantEditor editor(graph);
  size_t count = 0;
  for (const Node& node : graph.nodes())
    if (const OperatorChain chain = chain_of(graph, node); !chain.steps.empty() && fold(graph, chain, editor))
      count += chain.steps.size();
  const GraphPatch patch = editor.take("fold operators by constants into weights");
  if (!patch.empty()) apply_patch(model, patch);
  return count;
}

}  // namespace detent
