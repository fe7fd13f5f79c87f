#include "prepare/used_names.h"

namespace detent {

void UsedNames::add(const onnx::GraphProto& graph) {
  for (const auto& tensor : graph.initializer()) names_.insert(tensor.name());
  for (const auto* list : {&graph.input(), &graph.output()})
    for (const auto& info : *list) names_.insert(info.name());
  for (const onnx::NodeProto& node : graph.node()) add(node);
}

void UsedNames::add(const onnx::NodeProto& node) {
  names_.insert(node.name());
  names_.insert(node.output().begin(), node.output().end());
  for (const onnx::AttributeProto& attribute : node.attribute())
    if (attribute.has_g()) add(attribute.g());
}

std::string UsedNames::unused_prefix(const std::string& name) {
  std::string prefix = name + "/";
  const auto taken = [&] {
    const auto next = names_.lower_bound(prefix);
    return next != names_.end() && next->starts_with(prefix);
  };
  for (int& i = last_[name]; taken();) prefix = name + "_" + std::to_string(++i) + "/";
  names_.insert(prefix);
  return prefix;
}

}  // namespace detent
