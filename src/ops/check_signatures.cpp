#include "ops/check_signatures.h"

#include <algorithm>

#include "ops/signatures.h"

namespace detent {

namespace {

using Presence = Parameter::Presence;

[[noreturn]] void refuse_signature(const std::string& what) { throw Error(ErrorCode::InvalidModel, what); }

/// Checks the values of a node. word  "input" or "output". given  the node's values; names left out at the end do not
/// count.
void check_values(const std::string& word, const std::vector<Parameter>& parameters,
                  std::span<const MaybeValue> given) {
  while (!given.empty() && !given.back()) given = given.first(given.size() - 1);
  const bool repeats = !parameters.empty() && parameters.back().repeats();
  if (given.size() > parameters.size() && !repeats)
    refuse_signature(std::to_string(given.size()) + " " + word + "s are given, at most " +
                     std::to_string(parameters.size()) + " are allowed");
  const size_t fixed = parameters.size() - repeats;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool must = parameters[i].presence == Presence::Required || parameters[i].presence == Presence::OneOrMore;
    // Any output of a list may be unwanted.
    const bool named = i < given.size() && (given[i] || (i >= fixed && word == "output"));
    if (must && !named)
      refuse_signature(word + " " + std::to_string(i) + " (" + std::string(parameters[i].name) + ") is required");
  }
  if (word == "input")
    for (size_t i = fixed; i < given.size(); ++i)
      if (!given[i]) refuse_signature("input " + std::to_string(i) + " has an empty name");
}

/// In the order of kAttributeTypes.
constexpr std::string_view kWithArticle[] = {
    "an integer",        "a float",  "a string", "a list of integers", "a list of floats",
    "a list of strings", "a tensor", "a graph",  "a sparse tensor",    "a type"};

std::string with_article(std::string_view type) {
  return std::string(kWithArticle[std::ranges::find(kAttributeTypes, type) - std::begin(kAttributeTypes)]);
}

bool is_one_of(std::string_view value, std::string_view choices) {
  return ("|" + std::string(choices) + "|").find("|" + std::string(value) + "|") != std::string::npos &&
         value.find('|') == value.npos;
}

void check_attribute(const AttributeRule& rule, const Attribute& attribute) {
  const std::string_view type = kAttributeTypes[attribute.value.index()];
  const std::string name = "attribute '" + attribute.name + "' is ";
  if (type != rule.type) refuse_signature(name + with_article(type) + "; it must be " + with_article(rule.type));
  if (rule.choices.empty()) return;
  const std::string& value = std::get<std::string>(attribute.value);
  if (is_one_of(value, rule.choices)) return;
  std::string choices(rule.choices);
  for (size_t at = 0; (at = choices.find('|', at)) != choices.npos; at += 2) choices.replace(at, 1, ", ");
  refuse_signature(name + "'" + value + "'; it must be one of " + choices);
}

void check_node(const Node& node, const Signature& signature) {
  check_values("input", signature.inputs, node.inputs);
  check_values("output", signature.outputs, node.outputs);
  for (const Attribute& attribute : node.attributes) {
    const auto rule = std::ranges::find(signature.attributes, attribute.name, &AttributeRule::name);
    if (rule != signature.attributes.end()) check_attribute(*rule, attribute);
  }
  for (const AttributeRule& rule : signature.attributes)
    if (rule.required && !node.has(rule.name)) {
      // A constant that no Tensor can hold is reported where it is read.
      if (node.op_type == "Constant") continue;
      refuse_signature("attribute '" + std::string(rule.name) + "' is required");
    }
}

}  // namespace

void check_signatures(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const int64_t opset = signature_opset(graph, node);
    try {
      // An operator that is newer than the opset cannot run, but plans and findings look at its operands.
      if (const Signature* signature = find_node_signature(graph, node)) check_node(node, *signature);
      for (const Attribute& attribute : node.attributes)
        if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) check_signatures(**inner);
    } catch (const Error& error) {
      throw error.in("node '" + node.name + "' (" + node.op_type + ", opset " + std::to_string(opset) + ")");
    }
  }
}

}  // namespace detent
