#include "place/draft/written_activation.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <set>

namespace detent {
namespace {

constexpr size_t kMostNodes = 12;  // GELU with Tanh has 9

bool is_elementwise(OpKind kind) {
  return is_activation(kind) || is_arithmetic(kind) || kind == OpKind::Gelu || kind == OpKind::PRelu;
}

std::vector<ValueId> varying_inputs(const GraphFacts& facts, NodeId id) {
  std::vector<ValueId> varying;
  for (const ValueId input : present(facts.node(id).inputs))
    if (!facts.is_constant(input) && std::ranges::find(varying, input) == varying.end()) varying.push_back(input);
  return varying;
}

// Returns the node that is executed last among those that write the values; nullptr when no node writes one of them.
const Node* last_writer(const GraphFacts& facts, const std::set<ValueId>& values) {
  const Node* last = nullptr;
  for (const ValueId value : values)
    if (const Node* writer = facts.producer(value); writer && (!last || writer->id > last->id)) last = writer;
  return last;
}

// True when only nodes inside read what the nodes before the last one write.
bool is_closed(const GraphFacts& facts, const std::set<NodeId>& inside, NodeId last) {
  return std::ranges::all_of(inside, [&](NodeId id) {
    return id == last || std::ranges::all_of(present(facts.node(id).outputs), [&](ValueId output) {
             const Value& value = facts.value(output);
             return !value.is_output && std::ranges::all_of(value.uses, [&](const Use& use) {
               return use.slot >= 0 && inside.contains(use.node);
             });
           });
  });
}

// True for a function that a gate may have beside its product.
bool belongs_to_gate(const GraphFacts& facts, NodeId node) {
  switch (facts.kind(node)) {
    case OpKind::Relu:
    case OpKind::Clip:
    case OpKind::Sigmoid:
    case OpKind::HardSigmoid: return true;
    case OpKind::Add:
    case OpKind::Sub:
    case OpKind::Mul:
    case OpKind::Min:
    case OpKind::Max: return varying_inputs(facts, node).size() == 1;
    case OpKind::Div: return varying_inputs(facts, node).size() == 1 && !facts.is_constant(facts.node(node).input(0));
    default: return false;
  }
}

// True where the nodes compute more than a polynomial, such as the one inside the Tanh of GELU.
bool bends(const GraphFacts& facts, const std::set<NodeId>& nodes) {
  constexpr std::array kPolynomial{OpKind::Add, OpKind::Sub, OpKind::Mul, OpKind::Pow};
  return std::ranges::any_of(
      nodes, [&](NodeId node) { return std::ranges::find(kPolynomial, facts.kind(node)) == kPolynomial.end(); });
}

// True for a power, or a product of values that vary.
bool makes_power(const GraphFacts& facts, NodeId node) {
  const auto is_constant = [&](ValueId input) { return facts.is_constant(input); };
  return facts.kind(node) == OpKind::Pow ||
         (facts.kind(node) == OpKind::Mul && std::ranges::none_of(present(facts.node(node).inputs), is_constant));
}

WrittenActivation::Form form_of(const GraphFacts& facts, const std::vector<NodeId>& nodes) {
  const auto before = nodes | std::views::take(nodes.size() - 1);
  const auto has = [&](OpKind kind) {
    return std::ranges::any_of(nodes, [&](NodeId node) { return facts.kind(node) == kind; });
  };
  const auto powers = std::ranges::any_of(before, [&](NodeId node) { return makes_power(facts, node); });
  if (has(OpKind::Gelu) || (has(OpKind::Tanh) && powers)) return WrittenActivation::Form::Gelu;
  const bool gated = facts.kind(nodes.back()) == OpKind::Mul &&
                     std::ranges::all_of(before, [&](NodeId node) { return belongs_to_gate(facts, node); });
  return gated ? WrittenActivation::Form::Gated : WrittenActivation::Form::Other;
}

}  // namespace

std::optional<WrittenActivation> written_activation(const GraphFacts& facts, NodeId last) {
  if (!is_arithmetic(facts.kind(last))) return std::nullopt;
  const std::vector<ValueId> joined = varying_inputs(facts, last);
  if (joined.size() < 2) return std::nullopt;
  std::set<NodeId> inside{last};
  std::set<ValueId> open(joined.begin(), joined.end());  // what the nodes inside read from outside
  while (open.size() > 1) {
    const Node* writer = last_writer(facts, open);
    if (!writer || !is_elementwise(facts.kind(writer->id)) || inside.size() == kMostNodes) return std::nullopt;
    inside.insert(writer->id);
    for (const ValueId output : present(writer->outputs)) open.erase(output);
    const std::vector<ValueId> inputs = varying_inputs(facts, writer->id);
    open.insert(inputs.begin(), inputs.end());
  }
  if (open.empty() || !facts.is_float(*open.begin()) || !bends(facts, inside) || !is_closed(facts, inside, last))
    return std::nullopt;
  const std::vector<NodeId> nodes(inside.begin(), inside.end());
  return WrittenActivation{form_of(facts, nodes), *open.begin(), nodes};
}

std::optional<WrittenActivation> gated_activation(const GraphFacts& facts, NodeId last) {
  if (facts.kind(last) != OpKind::Mul) return std::nullopt;
  auto found = written_activation(facts, last);
  return found && found->form == WrittenActivation::Form::Gated ? found : std::nullopt;
}

}  // namespace detent
