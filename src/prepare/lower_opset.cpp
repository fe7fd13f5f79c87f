#include "prepare/lower_opset.h"

#include <algorithm>

#include "detent/base/error.h"
#include "ops/check_signatures.h"
#include "ops/signatures.h"
#include "ops/value_types.h"
#include "prepare/opset_adapters.h"

namespace detent {

namespace {

/// True for element types that operators took one by one after opset 20. Source: ONNX docs/Changelog.md, 21 to 27.
bool is_late_type(DataType type) {
  return type == DataType::BFloat16 || (type >= DataType::Int4 && type <= DataType::Float4E2M1);
}

bool knows(const Signature& signature, const std::string& attribute) {
  return std::ranges::find(signature.attributes, attribute, &AttributeRule::name) != signature.attributes.end();
}

bool means_the_same(const Node& node, int64_t from, int64_t wanted) {
  if (!node.domain.empty()) return true;
  const Signature *now = find_signature(node.op_type, from), *then = find_signature(node.op_type, wanted);
  if (!now || !then || now->since > from || then->since > wanted) return false;
  for (int64_t version = wanted + 1; version <= std::min<int64_t>(from, kNewestRaisedOpset); ++version)
    if (find_opset_change(node.op_type, static_cast<int>(version)).adapt) return false;
  return std::ranges::none_of(node.attributes, [&](const Attribute& attribute) {
    return knows(*now, attribute.name) && !knows(*then, attribute.name);
  });
}

bool means_the_same(const Graph& graph, int64_t from, int64_t wanted) {
  for (const Node& node : graph.nodes()) {
    if (!means_the_same(node, from, wanted)) return false;
    for (const Attribute& attribute : node.attributes)
      if (const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute.value))
        if (!means_the_same(**inner, from, wanted)) return false;
  }
  const ValueMap<DataType> types = value_types(graph);
  return std::ranges::none_of(graph.values(), [&](const Value& value) { return is_late_type(types[value.id]); });
}

}  // namespace

bool lower_opset(Model& model, int64_t wanted) {
  const int64_t from = model.graph().opset();
  if (from <= wanted || !means_the_same(model.graph(), from, wanted)) return false;
  Model lowered = model.clone();
  GraphPatch patch;
  patch.reason = "lower the opset to " + std::to_string(wanted);
  patch.opset = wanted;
  apply_patch(lowered, patch);
  try {
    check_signatures(lowered.graph());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidModel) throw;
    return false;
  }
  model = std::move(lowered);
  return true;
}

}  // namespace detent
