// Weighted layers that stay float: without a rule's reason (a warning), by a rule or on purpose (notes), and products
// of two activations.

#include <fmt/core.h>

#include "lint/findings/findings.h"

namespace detent::findings {
namespace {

/// Returns the reason in the file for leaving the layer float; empty without one, and when a pair right in front of the
/// layer and one of its weight show that it was quantized since.
std::string purpose_of(const LintView& view, NodeId layer) {
  const auto& purposes = view.file().left_float;
  const auto found = purposes.find(view.node(layer).name);
  if (found == purposes.end()) return {};
  return view.operand(layer, view.data_slot(layer)) && view.weight(layer) ? std::string() : found->second;
}

}  // namespace

void layer_left_float(const LintView& view, FindingLog& log) {
  for (const LayerDecision& wanted : view.wanted_plan().layers) {
    if (!wanted.runs_on_codes() || view.obstacle(wanted.node).empty() || log.explains(wanted.node)) continue;
    if (!purpose_of(view, wanted.node).empty() || !view.weight_alone(wanted.node).empty()) continue;
    log.add(view.node(wanted.node).name,
            "runs in float: " + view.obstacle(wanted.node) + "; no placement rule requires that",
            view.is_quantized(wanted.node, view.data_slot(wanted.node)) && view.weight(wanted.node)
                ? "complete the pairs: `detent plan` on the float model shows the ones it needs"
                : "put a pair on its input and quantize its weight, if accuracy allows",
            {wanted.node});
  }
}

void layer_float_on_purpose(const LintView& view, FindingLog& log) {
  for (const LayerDecision& wanted : view.wanted_plan().layers) {
    if (!wanted.runs_on_codes() || view.obstacle(wanted.node).empty() || log.explains(wanted.node)) continue;
    const std::string purpose = purpose_of(view, wanted.node);
    if (purpose.empty()) continue;
    log.add(view.node(wanted.node).name, "runs in float on purpose, according to the file: " + purpose,
            fmt::format("nothing to cure; quantize the float model with other options for {} here", view.codes()),
            {wanted.node});
  }
}

void layer_float_by_rule(const LintView& view, FindingLog& log) {
  for (const LayerDecision& wanted : view.wanted_plan().layers) {
    if (wanted.runs_on_codes() || view.obstacle(wanted.node).empty() || log.explains(wanted.node)) continue;
    if (!view.weight_alone(wanted.node).empty()) continue;
    log.add(view.node(wanted.node).name, "runs in float by rule " + name_of(wanted.rule) + ": " + wanted.reason,
            "nothing to cure; --include NODE quantizes it where the engine can", {wanted.node});
  }
}

void product_left_float(const LintView& view, FindingLog& log) {
  const GraphFacts& facts = view.facts();
  for (const Node& node : view.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::MatMul || facts.is_weighted(node.id)) continue;
    const auto& slots = facts.data_slots(node.id);
    if (slots.size() != 2 || view.is_quantized(node.id, slots[0]) || view.is_quantized(node.id, slots[1])) continue;
    if (!facts.is_float(node.inputs[0]) || facts.is_constant(node.inputs[0]) || facts.is_constant(node.inputs[1]))
      continue;
    log.add(node.name, "multiplies two activations in float (attention)",
            "nothing to cure; " + std::string(attention_option(view.found().options())) + " puts pairs on both inputs",
            {});
  }
}

}  // namespace detent::findings
