#include "model/patch_union.h"

#include <algorithm>

#include "core/same_tensor.h"

namespace detent {

namespace {

/// Returns a text that is equal for nodes that compute the same. Attributes that are not integers make every node
/// different.
std::string content_of(const NodeSpec& spec, const std::vector<std::string>& inputs, size_t position) {
  constexpr char kSeparator = '\n';
  std::string text = spec.domain + kSeparator + spec.op_type;
  for (const std::string& input : inputs) text += kSeparator + input;
  for (const Attribute& attribute : spec.attributes) {
    const auto* number = std::get_if<int64_t>(&attribute.value);
    text += kSeparator + attribute.name + '=' + std::to_string(number ? *number : static_cast<int64_t>(position));
    if (!number) text += kSeparator;
  }
  return text + kSeparator + std::to_string(spec.outputs.size());
}

}  // namespace

const std::string& PatchUnion::Variant::value(const std::string& name) const {
  const auto found = renamed.find(name);
  return found == renamed.end() ? name : found->second;
}

PatchUnion::Variant PatchUnion::add(const GraphPatch& patch) {
  if (!patch.remove_nodes.empty() || !patch.replace_constants.empty() || !patch.set_attributes.empty() ||
      !patch.remove_attributes.empty() || patch.opset || patch.newest_ir)
    throw Error(ErrorCode::Internal, "cannot lay patches side by side: '" + patch.reason + "' does more than add");
  Variant variant;
  rename_outputs(patch, variant);
  for (const auto& [name, tensor] : patch.add_initializers) add_constant(name, tensor, variant);
  for (const NodeSpec& spec : patch.add_nodes) add_node(spec, variant);
  for (const auto& [node, slot, value] : patch.rewire) variant.rewire.push_back({node, slot, variant.value(value)});
  return variant;
}

/// Records renamed outputs: the node keeps the old name here, which a node that the patch adds has in the patched
/// model. Readers of the old name would read the old node here, so the patch must rewire all of them.
void PatchUnion::rename_outputs(const GraphPatch& patch, Variant& variant) const {
  for (const auto& [node, slot, moved] : patch.rename_outputs) {
    const Value& value = graph_.value(*graph_.node(*graph_.find_node(node)).output(slot));
    if (std::ranges::any_of(value.uses, [](const Use& use) { return use.slot < 0; }))
      throw Error(ErrorCode::Unsupported, "the graph output '" + value.name + "' is to be quantized and is read in a " +
                                              "subgraph too: such variants cannot be run side by side");
    for (const Use& use : value.uses)
      if (std::ranges::none_of(patch.rewire, [&](const GraphPatch::Rewire& one) {
            return one.slot == use.slot && one.node == graph_.node(use.node).name;
          }))
        throw Error(ErrorCode::Internal, "cannot lay patches side by side: '" + patch.reason + "' renames '" +
                                             value.name + "' and leaves a reader of it");
    variant.renamed[moved] = value.name;
  }
}

void PatchUnion::add_constant(const std::string& name, const Tensor& tensor, Variant& variant) {
  std::vector<size_t>& known = constants_[name];
  for (const size_t position : known) {
    const auto& [existing, content] = patch_.add_initializers[position];
    if (!same_tensor(content, tensor)) continue;
    variant.renamed[name] = existing;
    return;
  }
  const std::string own = names_.fresh(name);
  known.push_back(patch_.add_initializers.size());
  patch_.add_initializers.emplace_back(own, tensor);
  variant.renamed[name] = own;
}

void PatchUnion::add_node(const NodeSpec& spec, Variant& variant) {
  std::vector<std::string> inputs;
  for (const std::string& input : spec.inputs) inputs.push_back(variant.value(input));
  const auto [entry, added] =
      nodes_.try_emplace(content_of(spec, inputs, patch_.add_nodes.size()), patch_.add_nodes.size());
  if (added) {
    NodeSpec own = spec;
    own.inputs = std::move(inputs);
    for (std::string& output : own.outputs) output = names_.fresh(output);
    own.name = names_.fresh(own.outputs.front() + "_" + spec.op_type);
    patch_.add_nodes.push_back(std::move(own));
  }
  const NodeSpec& here = patch_.add_nodes[entry->second];
  for (size_t i = 0; i < spec.outputs.size(); ++i) variant.renamed[spec.outputs[i]] = here.outputs[i];
}

}  // namespace detent
