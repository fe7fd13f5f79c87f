// Pairs between which OpenVINO computes other numbers than the file says, or which it does not compile.
//
//   wrong:   x --> ReduceMax --> Q/DQ --> Conv                 right: x --> Q/DQ --> ReduceMax --> Conv
//   wrong:   x --> Q/DQ (113) --> AveragePool (counts zeros)   right: no pair, or zero point 0

#include <algorithm>

#include "lint/engines/openvino/findings.h"
#include "lint/engines/openvino/openvino_layers.h"
#include "place/draft/flow.h"
#include "place/engines/openvino/openvino_kernels.h"

namespace detent::findings {
namespace {

using Pairs = std::vector<const QuantizedOperand*>;

bool has_zero_point(const LintView& view, const Pairs& pairs) {
  return std::ranges::any_of(pairs, [&](const QuantizedOperand* pair) { return !is_symmetric(view.grid(*pair)); });
}

bool has_signed_codes(const LintView& view, const Pairs& pairs) {
  return std::ranges::any_of(pairs,
                             [&](const QuantizedOperand* pair) { return view.grid(*pair).codes == DataType::Int8; });
}

// True when a Softmax reads the product, possibly scaled, masked or moved.
bool is_attention(const LintView& view, const Node& product) {
  MaybeValue value = product.output(0);
  while (const auto use = sole_use(view.graph(), value)) {
    const OpKind kind = view.facts().kind(use->node);
    if (kind == OpKind::Softmax) return true;
    if (!is_arithmetic(kind) && !commutes(view.facts(), view.found(), use->node)) return false;
    value = view.node(use->node).output(0);
  }
  return false;
}

void check_average(const LintView& view, FindingLog& log, const Node& pool) {
  const Pairs pairs = view.pairs_in_front(pool.id, 0);
  if (pairs.empty() || !averages_added_zeros(view.facts(), pool)) return;
  // Codes that another node reads too may get a zero point there.
  const bool shared = view.value(*pool.input(0)).uses.size() > 1 && has_signed_codes(view, pairs);
  if (!has_zero_point(view, pairs) && !shared) return;
  log.add(pool.name,
          "its windows count zeros that it or a Pad adds, between codes with a zero point: OpenVINO adds codes of 0, "
          "which stand for another number",
          "remove the pair in front of it, or give it UINT8 codes with zero point 0",
          view.layers_reading(pool.output(0)));
}

void check_product(const LintView& view, FindingLog& log, const Node& product) {
  const int slot = view.data_slot(product.id);
  const Pairs pairs = view.pairs_in_front(product.id, slot);
  const bool wrong = view.facts().weight_slot(product.id) == 0 && is_attention(view, product);
  if (wrong && view.weight(product.id) && (pairs.empty() || has_zero_point(view, pairs)))
    log.add(
        product.name,
        "attention with an INT8 constant on the left (learned queries): OpenVINO computes other numbers unless the "
        "pair of the keys has zero point 0",
        "leave both operands float, or give the pair of '" + view.value(*product.input(slot)).name + "' zero point 0",
        {product.id});
  const MaybeNode concat = has_zero_point(view, pairs) ? concat_of_rows(view.facts(), product, slot) : kNoNode;
  if (concat)
    log.add(product.name,
            "multiplies rows that " + view.facts().describe(*concat) +
                " puts together, between codes with a zero point: OpenVINO does not compile it",
            "give the pair zero point 0", {product.id});
}

void check_convolution(const LintView& view, FindingLog& log, const Node& layer) {
  if (!view.is_meant_int8(layer.id) || !has_signed_codes(view, view.pairs_in_front(layer.id, 0))) return;
  if (const MaybeNode concat = concat_in_front(view.facts(), layer, 0))
    log.add(layer.name,
            "reads signed codes from " + view.facts().describe(*concat) +
                ": OpenVINO computes other numbers on CPUs without AMX",
            "give the pairs around the Concat UINT8 codes", {layer.id});
}

// A Conv behind exchanged channels, with activations between at most.
void check_exchange(const LintView& view, FindingLog& log, const Node& layer) {
  if (layer.int_or("group", 1) != 1) return;
  const Node* node = &layer;
  while (!view.operand(node->id, 0)) {
    const Node* before = view.graph().producer(node->input(0));
    if (!before) return;
    if (exchanges_channels(view.facts(), *before))
      return log.add(layer.name,
                     "reads channels that " + view.facts().describe(before->id) +
                         " exchanges: OpenVINO merges the order into its weights, inverted, in the float model too",
                     "put a pair between, or write the order into the weights", {layer.id});
    if (!is_fusable_activation(view.facts().kind(before->id))) return;
    node = before;
  }
}

}  // namespace

void computed_otherwise(const LintView& view, FindingLog& log) {
  for (const Node& node : view.graph().nodes()) {
    switch (view.facts().kind(node.id)) {
      case OpKind::AveragePool: check_average(view, log, node); break;
      case OpKind::Conv:
        check_convolution(view, log, node);
        check_exchange(view, log, node);
        break;
      case OpKind::Gemm:
      case OpKind::MatMul:
        if (view.facts().is_weighted(node.id)) check_product(view, log, node);
        break;
      default:
        if (takes_extremes(node) && !view.is_quantized(node.id, 0) && ends_in_pair(view.found(), node))
          log.add(node.name,
                  node.op_type + " in front of a pair: OpenVINO computes the pair in the same kernel, and wrongly",
                  "put the pair, or one more, in front of it", view.layers_reading(node.output(0)));
    }
  }
}

void open_time_axis(const LintView& view, FindingLog& log) {
  for (const EngineDoubt& doubt : view.given_plan().doubts)
    log.add(view.node(doubt.node).name, doubt.reason, doubt.cure, {doubt.node});
}

}  // namespace detent::findings
