#include "lint/view/qoperator_layers.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "lint/reading/qdq_node.h"

namespace detent {
namespace {

struct QOperator {
  std::string_view op_type;
  size_t weight_slot;
  bool convolves;
};

constexpr std::array<QOperator, 7> kOperators = {{{"QLinearConv", 3, true},
                                                  {"ConvInteger", 1, true},
                                                  {"QLinearMatMul", 3, false},
                                                  {"MatMulInteger", 1, false},
                                                  {"QGemm", 3, false},
                                                  {"MatMulIntegerToFloat", 1, false},
                                                  {"DynamicQuantizeMatMul", 1, false}}};

int64_t output_elements(const Graph& graph, const ValueShapes& shapes, ValueId output) {
  if (const Shape* found = find_shape(shapes, output)) return found->element_count();
  const auto& declared = graph.value(output).declared_shape;
  if (!declared) return 0;
  int64_t count = 1;
  for (size_t i = 0; i < declared->size(); ++i) count *= (*declared)[i] < 0 ? (i == 0 ? 1 : 0) : (*declared)[i];
  return count;
}

// Returns the number of weights that each output element meets.
int64_t products(const QOperator& op, const Node& node, const Shape& weight) {
  if (op.convolves) return weight.element_count(1, weight.rank());
  return weight[node.int_or("transB", 0) != 0 ? weight.rank() - 1 : weight.rank() - 2];
}

// Returns an LSTM whose weights W and R are constant codes, [directions, inner, columns]; each step of each sample
// meets all of them.
std::optional<LayerDecision> coded_lstm(const Graph& graph, const ValueShapes& shapes, const Node& node) {
  if (node.op_type != "DynamicQuantizeLSTM") return std::nullopt;
  const Tensor *w = readable_constant(graph, node.input(1)), *r = readable_constant(graph, node.input(2));
  if (!w || !r || w->shape().rank() != 3 || !node.input(0)) return std::nullopt;
  const int64_t params = w->element_count() + r->element_count(), inputs = std::max<int64_t>(w->shape()[1], 1);
  return LayerDecision{
      .node = node.id, .params = params, .macs = output_elements(graph, shapes, *node.input(0)) / inputs * params};
}

std::optional<LayerDecision> coded_layer(const Graph& graph, const ValueShapes& shapes, const Node& node) {
  const auto op = std::ranges::find(kOperators, node.op_type, &QOperator::op_type);
  if (op == kOperators.end()) return coded_lstm(graph, shapes, node);
  const Tensor* weight = readable_constant(graph, node.input(op->weight_slot));
  if (!weight || weight->shape().rank() < 2) return std::nullopt;
  return LayerDecision{.node = node.id,
                       .params = weight->element_count(),
                       .macs = output_elements(graph, shapes, *node.output(0)) * products(*op, node, weight->shape())};
}

}  // namespace

std::vector<LayerDecision> qoperator_layers(const Graph& graph, const ValueShapes& shapes, const Target& target) {
  std::vector<LayerDecision> layers;
  const bool runs = target.engine.runs_qoperators;
  for (const Node& node : graph.nodes()) {
    std::optional<LayerDecision> layer = coded_layer(graph, shapes, node);
    if (!layer) continue;
    layer->runs = runs ? Runs::Int8 : Runs::Float;
    layer->reason =
        runs ? "an integer operator" : std::string(target.engine.name) + " makes no kernels of integer operators";
    layers.push_back(std::move(*layer));
  }
  return layers;
}

}  // namespace detent
