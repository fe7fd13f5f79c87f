#include "lint/engines/qnn/qnn_units.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "ops/traits.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/qnn/qnn_units.h"

namespace detent {
namespace {

// Returns the slots that a unit reads codes from: data, weight and bias, the factors of a norm, and slopes.
std::vector<int> slots_with_codes(const PairView& view, const Node& node) {
  const GraphFacts& facts = view.facts();
  std::vector<int> slots = facts.data_slots(node.id);
  if (facts.is_weighted(node.id)) slots.push_back(facts.weight_slot(node.id));
  if (const int bias = facts.traits(node.id).bias_slot; bias >= 0 && node.input(bias)) slots.push_back(bias);
  for (const int factor : coded_constants(facts, node)) slots.push_back(factor);
  std::erase_if(slots, [&](int slot) { return !facts.is_float(node.input(slot)); });
  return slots;
}

bool is_read_as_codes(const PairView& view, MaybeValue value) {
  if (!value) return true;
  const Value& v = view.value(*value);
  if (v.is_output) return false;  // a pair in front of an output is read by an Identity
  return std::ranges::all_of(v.uses, [&](const Use& use) {
    // A graph inside a node is a finding for itself.
    if (use.slot < 0 || reads_beside_units(view.facts(), use.node)) return true;
    const QuantizedOperand* operand = view.operand(use.node, use.slot);
    return operand && operand->quantize >= 0;
  });
}

// Returns the last value of the unit: behind an activation that it includes.
MaybeValue unit_output(const PairView& view, ValueId own) {
  return is_read_as_codes(view, own) ? own : absorbed_output(view.facts(), view.found(), own, Absorbs::ReluAndClip);
}

bool is_included(const PairView& view, const Node& node) {
  const Node* before = view.producer(node.input(0));
  return before && !view.operand(node.id, 0) &&
         absorbed_output(view.facts(), view.found(), node.input(0), Absorbs::ReluAndClip) == node.output(0);
}

// True for the Identity that the reading leaves behind a pair in front of a graph output.
bool ends_output_pair(const PairView& view, const Node& node) {
  return node.op_type == "Identity" && view.value(*node.output(0)).is_output && view.operand(node.id, 0);
}

}  // namespace

std::string qnn_unit_obstacle(const PairView& view, const Node& node) {
  const GraphFacts& facts = view.facts();
  if (is_recurrent(node)) {
    if (std::string obstacle = recurrent_obstacle(view.graph(), node); !obstacle.empty()) return obstacle;
  }
  if (!is_unit(facts, view.found(), node) || is_included(view, node) || ends_output_pair(view, node)) return "";
  for (const int slot : slots_with_codes(view, node)) {
    const QuantizedOperand* operand = view.operand(node.id, slot);
    if (!operand || operand->dequantize < 0)
      return "reads '" + view.value(*node.input(slot)).name + "' without a DequantizeLinear";
  }
  for (const ValueId output : present(node.outputs)) {
    if (!facts.is_float(output)) continue;
    if (is_recurrent(node) && view.value(output).uses.empty() && !view.value(output).is_output)
      return "names the state '" + view.value(output).name + "', which nothing reads";
    if (!is_read_as_codes(view, unit_output(view, output)))
      return "writes '" + view.value(output).name + "', which is read without a QuantizeLinear";
  }
  return "";
}

std::string qnn_type_obstacle(const PairView& view, const Node& node) {
  const GraphFacts& facts = view.facts();
  if (!is_unit(facts, view.found(), node) || facts.kind(node.id) == OpKind::MatMul) return "";
  std::set<std::string> read, written;
  for (const int slot : facts.data_slots(node.id))
    if (const QuantizedOperand* operand = view.operand(node.id, slot))
      read.insert(std::string(name_of(view.grid(*operand).codes)));
  for (const ValueId output : present(node.outputs))
    for (const QuantizedOperand* pair : view.pairs_on(unit_output(view, output)))
      if (pair->quantize >= 0) written.insert(std::string(name_of(view.first_grid(*pair).codes)));
  std::set<std::string> all = read;
  all.insert(written.begin(), written.end());
  if (all.size() < 2) return "";
  const auto list = [](const std::set<std::string>& types) {
    return join(types, " and ", [](const auto& t) { return t; });
  };
  return "reads " + list(read) + (written.empty() ? "" : " and writes " + list(written));
}

}  // namespace detent
