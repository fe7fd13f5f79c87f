#include "place/draft/float_layers.h"

#include <fmt/core.h>

#include "core/text.h"
#include "ops/traits.h"

namespace detent {

namespace {

constexpr size_t kRecurrentWeights[] = {1, 2, 3};  // W, R and B of RNN, GRU and LSTM

int64_t recurrent_params(const Graph& graph, const Node& node) {
  int64_t params = 0;
  for (const size_t slot : kRecurrentWeights) params += constant_elements(graph, node.input(slot));
  return params;
}

/// Returns the elements of weight and bias of a weighted operator whose weight is constant and whose data is not; 0 for
/// other nodes.
int64_t weighted_params(const Graph& graph, const Node& node) {
  const OpTraits& traits = traits_of(graph, node);
  if (traits.weight_slot < 0) return 0;
  const MaybeValue weight = node.input(traits.weight_slot);
  const bool on_the_left = traits.kind == OpKind::MatMul && weight && !graph.value(*weight).is_constant;
  const MaybeValue constant = on_the_left ? node.input(0) : weight;
  const MaybeValue data = on_the_left ? weight : node.input(0);
  if (!constant || !data || graph.value(*data).is_constant) return 0;
  const Tensor* tensor = graph.constant(constant);
  if (!tensor || tensor->shape().rank() < 2) return 0;
  const MaybeValue bias = traits.bias_slot < 0 ? kNoValue : node.input(traits.bias_slot);
  return tensor->element_count() + constant_elements(graph, bias);
}

void add_layers(const Graph& graph, InnerLayers& sum) {
  for (const Node& node : graph.nodes()) {
    const int64_t params = is_recurrent(node) ? recurrent_params(graph, node) : weighted_params(graph, node);
    if (params > 0) ++sum.layers;
    sum.params += params;
    const InnerLayers inner = inner_layers(node);
    sum.layers += inner.layers;
    sum.params += inner.params;
  }
}

std::string inside_text(const InnerLayers& inner, const Node& node) {
  return plural(inner.layers, "layer") + " (" + std::to_string(inner.params) + " parameters) inside its " +
         (node.op_type == "If" ? "branches" : "body") + (inner.layers == 1 ? " stays" : " stay") + " float";
}

}  // namespace

int64_t constant_elements(const Graph& graph, MaybeValue value) {
  const Tensor* tensor = graph.constant(value);
  return tensor ? tensor->element_count() : 0;
}

InnerLayers inner_layers(const Node& node) {
  InnerLayers sum;
  for (const Attribute& attribute : node.attributes)
    if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) add_layers(**inner, sum);
  return sum;
}

std::optional<LayerDecision> float_layer(const Graph& graph, const Node& node) {
  LayerDecision layer{.node = node.id};
  if (is_recurrent(node)) {
    layer.params = recurrent_params(graph, node);
    layer.reason = node.op_type + " has no integer kernel";
    return layer;
  }
  const InnerLayers inner = inner_layers(node);
  if (inner.layers == 0) return std::nullopt;
  layer.params = inner.params;
  layer.reason = inside_text(inner, node);
  return layer;
}

std::string inner_layers_text(const Node& node) {
  const InnerLayers inner = inner_layers(node);
  if (inner.layers == 0) return {};
  return node.op_type + " '" + node.name + "': " + inside_text(inner, node) +
         "; values are measured, pairs are placed and MACs are counted in the main graph only";
}

std::string float64_text(const Graph& graph, std::string_view codes) {
  std::vector<std::string> layers;
  for (const Node& node : graph.nodes()) {
    const OpKind kind = traits_of(graph, node).kind;
    if (kind != OpKind::Conv && kind != OpKind::ConvTranspose && kind != OpKind::Gemm && kind != OpKind::MatMul)
      continue;
    const Tensor* weight = graph.constant(node.input(1));
    if (weight && weight->type() == DataType::Float64) layers.push_back("'" + node.name + "'");
  }
  if (layers.empty()) return {};
  return fmt::format("{} {} FLOAT64 weights, and no engine computes such layers in {}: export the model in FP32",
                     listed(layers, 3), layers.size() == 1 ? "has" : "have", codes);
}

}  // namespace detent
