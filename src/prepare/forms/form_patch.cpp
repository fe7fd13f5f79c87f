#include "prepare/forms/form_patch.h"

#include <algorithm>

namespace detent::forms {

FormPatch::FormPatch(const Graph& graph, std::string reason) : graph_(graph), names_(graph) {
  patch_.reason = std::move(reason);
}

std::string FormPatch::name_of(MaybeValue value) const { return graph_.value(*value).name; }

std::string FormPatch::fresh(const Node& node, const std::string& what) { return names_.fresh(node.name + "_" + what); }

std::string FormPatch::constant(const Node& node, const std::string& what, Tensor tensor) {
  std::string name = fresh(node, what);
  patch_.add_initializers.emplace_back(name, std::move(tensor));
  return name;
}

void FormPatch::add(NodeSpec node) { patch_.add_nodes.push_back(std::move(node)); }

void FormPatch::remove(const Node& node) { patch_.remove_nodes.push_back(node.name); }

void FormPatch::rewire(const Node& node, int slot, std::string value) {
  patch_.rewire.push_back({node.name, slot, std::move(value)});
}

GraphPatch FormPatch::take() { return std::move(patch_); }

std::vector<Attribute> attributes_without(const Node& node, const std::vector<std::string>& names) {
  std::vector<Attribute> kept;
  for (const Attribute& attribute : node.attributes)
    if (std::ranges::find(names, attribute.name) == names.end()) kept.push_back(attribute);
  return kept;
}

}  // namespace detent::forms
