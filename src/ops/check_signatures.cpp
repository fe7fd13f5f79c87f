#include "ops/check_signatures.h"

#include <algorithm>
#include <unordered_map>

#include "ops/find_operator.h"
#include "ops/op_list.h"

namespace detent {

namespace {

using Presence = Parameter::Presence;

/// The signatures of all operators, read once.
const std::vector<SignatureVersion>& versions_of(const OperatorDef& definition) {
  static const auto all = [] {
    std::unordered_map<const OperatorDef*, std::vector<SignatureVersion>> read;
    for (const OperatorDef& one : operator_list()) read.emplace(&one, parse_signature(one.signature.text()));
    return read;
  }();
  return all.at(&definition);
}

const SignatureVersion& version_at(const OperatorDef& definition, int64_t opset) {
  const std::vector<SignatureVersion>& versions = versions_of(definition);
  const auto later = std::ranges::find_if(versions, [&](const auto& version) { return version.since > opset; });
  return later == versions.begin() ? *later : *(later - 1);
}

[[noreturn]] void refuse_signature(const std::string& what) { throw Error(ErrorCode::InvalidModel, what); }

/// `word` is "input" or "output", `given` the node's values. What a name is left out of at the end is no value.
void check_values(const std::string& word, const std::vector<Parameter>& parameters, std::span<const ValueId> given) {
  while (!given.empty() && given.back() == kNoValue) given = given.first(given.size() - 1);
  const bool repeats = !parameters.empty() && parameters.back().repeats();
  if (given.size() > parameters.size() && !repeats)
    refuse_signature(std::to_string(given.size()) + " " + word + "s are given, at most " +
                     std::to_string(parameters.size()) + " are allowed");
  const size_t fixed = parameters.size() - repeats;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool must = parameters[i].presence == Presence::Required || parameters[i].presence == Presence::OneOrMore;
    // Any output of a list may be unwanted.
    const bool named = i < given.size() && (given[i] != kNoValue || (i >= fixed && word == "output"));
    if (must && !named)
      refuse_signature(word + " " + std::to_string(i) + " (" + std::string(parameters[i].name) + ") is required");
  }
  if (word == "input")
    for (size_t i = fixed; i < given.size(); ++i)
      if (given[i] == kNoValue) refuse_signature("input " + std::to_string(i) + " has an empty name");
}

std::string with_article(std::string_view type) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"int", "an integer"},
                                                                      {"float", "a float"},
                                                                      {"string", "a string"},
                                                                      {"ints", "a list of integers"},
                                                                      {"floats", "a list of floats"},
                                                                      {"strings", "a list of strings"},
                                                                      {"tensor", "a tensor"},
                                                                      {"graph", "a graph"},
                                                                      {"sparse_tensor", "a sparse tensor"},
                                                                      {"type", "a type"}};
  return std::string(std::ranges::find(kWords, type, &std::pair<std::string_view, std::string_view>::first)->second);
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

void check_node(const Node& node, const OperatorDef& definition, int64_t opset) {
  const SignatureVersion& version = version_at(definition, opset);
  check_values("input", version.inputs, node.inputs);
  check_values("output", version.outputs, node.outputs);
  for (const Attribute& attribute : node.attributes) {
    const auto rule = std::ranges::find(version.attributes, attribute.name, &AttributeRule::name);
    if (rule != version.attributes.end()) check_attribute(*rule, attribute);
  }
  for (const AttributeRule& rule : version.attributes)
    if (rule.required && !node.has(rule.name)) {
      // A constant that no Tensor can hold is reported where it is read.
      if (node.op_type == "Constant") continue;
      refuse_signature("attribute '" + std::string(rule.name) + "' is required");
    }
}

}  // namespace

void check_signatures(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    const int64_t opset = graph.opset(node.domain);
    try {
      // Of an opset that does not have it the operator cannot run, but traits_of() knows it all the same.
      const OperatorDef* definition = find_operator(node.domain, node.op_type, opset);
      if (!definition) definition = find_at_any_opset(node.domain, node.op_type);
      if (definition) check_node(node, *definition, opset);
      for (const Attribute& attribute : node.attributes)
        if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) check_signatures(**inner);
    } catch (const Error& error) {
      throw error.in("node '" + node.name + "' (" + node.op_type + ", opset " + std::to_string(opset) + ")");
    }
  }
}

}  // namespace detent
