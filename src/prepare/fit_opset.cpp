#include "prepare/fit_opset.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "core/text.h"
#include "detent/base/error.h"
#include "model/graph_patch.h"
#include "ops/check_signatures.h"
#include "ops/signatures.h"
#include "ops/value_types.h"
#include "place/engines/target_versions.h"
#include "prepare/attention_form.h"
#include "prepare/expand/expanders.h"
#include "prepare/lowering_adapters.h"
#include "prepare/subgraph_models.h"
#include "prepare/used_names.h"

namespace detent {

namespace {

/// The first opset with the operator Attention. Source: ONNX docs/Changelog.md, Attention-23.
constexpr int64_t kAttentionOpset = 23;

/// Nodes, or other parts of a model, that have no form at the target's opset.
struct Obstacles {
  std::vector<std::string> texts;
  int64_t needed = 0;  ///< the opset that takes them all

  void add(int64_t opset, const std::string& text) {
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
    needed = std::max(needed, opset);
  }
  void add(const Node& node, int64_t opset, const std::string& why) {
    add(opset, fmt::format("node '{}' ({}, opset {}): {}", node.name, node.op_type, opset, why));
  }
};

const AttributeRule* rule_of(const Signature& signature, const std::string& attribute) {
  const auto found = std::ranges::find(signature.attributes, attribute, &AttributeRule::name);
  return found == signature.attributes.end() ? nullptr : &*found;
}

/// Builds the patch from opset `version` to the one before it.
class StepDown {
 public:
  StepDown(const Graph& graph, int version, Obstacles& obstacles)
      : graph_(graph), version_(version), obstacles_(obstacles) {
    patch_.reason = fmt::format("lower the opset to {}", version - 1);
    patch_.opset = version - 1;
  }

  GraphPatch run() {
    for (const Node& node : graph_.nodes())
      if (node.domain.empty()) lower(node);
    return std::move(patch_);
  }

 private:
  void lower(const Node& node) {
    const Signature *now = find_signature(node.op_type, version_), *then = find_signature(node.op_type, version_ - 1);
    if (!now || !then || now->since > version_) return obstacles_.add(node, version_, "the operator is not known");
    if (then->since >= version_) return obstacles_.add(node, version_, "that opset brought the operator");
    const OpsetChange lowering = find_lowering(node.op_type, version_);
    if (now->since < version_ && !lowering.adapt && !find_opset_change(node.op_type, version_).adapt) return;
    if (!lowering.adapt && find_opset_change(node.op_type, version_).adapt)
      return obstacles_.add(node, version_, "that opset gave the operator another meaning");
    try {
      if (types_.empty()) types_ = value_types(graph_);
      if (lowering.adapt) lowering.adapt(graph_, node, types_, patch_);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unsupported) throw;
      return obstacles_.add(node, version_, error.what());
    }
    drop_neutral(node, *now, *then);
  }

  /// Removes attributes that the older version does not know, in the node as the adapter left it.
  void drop_neutral(const Node& node, const Signature& now, const Signature& then) {
    const auto rewritten = std::ranges::find(patch_.add_nodes, node.name, &NodeSpec::name);
    const bool is_new = rewritten != patch_.add_nodes.end();
    std::vector<Attribute> left = is_new ? rewritten->attributes : node.attributes;
    for (const auto& [name, attribute] : patch_.remove_attributes)
      if (name == node.name) std::erase_if(left, [&](const Attribute& one) { return one.name == attribute; });
    for (const Attribute& attribute : left) {
      if (!rule_of(now, attribute.name) || rule_of(then, attribute.name)) continue;
      if (!is_neutral(node, attribute)) {
        obstacles_.add(node, version_, fmt::format("that opset brought its attribute '{}'", attribute.name));
      } else if (is_new) {
        std::erase_if(rewritten->attributes, [&](const Attribute& one) { return one.name == attribute.name; });
      } else {
        patch_.remove_attributes.emplace_back(node.name, attribute.name);
      }
    }
  }

  const Graph& graph_;
  int version_;
  Obstacles& obstacles_;
  GraphPatch patch_;
  ValueMap<DataType> types_;
};

void change_all(Model& model, const auto& change) {
  change_subgraphs(
      model, [](const Graph&) { return true; }, [&](Model& inner) { change_all(inner, change); });
  change(model);
}

void step_down(Model& model, int version, Obstacles& obstacles) {
  const GraphPatch patch = StepDown(model.graph(), version, obstacles).run();
  if (obstacles.texts.empty()) apply_patch(model, patch);
}

/// Writes operators that came after opset `limit` with those of opset 17.
void expand_newer(Model& model, int64_t limit, Obstacles& obstacles) {
  const Graph& graph = model.graph();
  const auto newer = expand::newer_operators();
  UsedNames names(model.proto().graph());
  const ValueMap<DataType> types = value_types(graph);
  GraphPatch patch;
  patch.reason = "write operators for an older opset";
  for (const Node& node : graph.nodes()) {
    const auto found = std::ranges::find(newer, node.op_type, &expand::NewerOperator::op_type);
    if (!node.domain.empty() || found == newer.end() || found->since <= limit || found->since > graph.opset()) continue;
    try {
      expand::Body body(graph, node, types, names.unused_prefix(node.name));
      found->expand(body);
      body.move_to(patch);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::Unsupported) throw;
      obstacles.add(node, found->since, error.what());
    }
  }
  if (!patch.empty()) apply_patch(model, patch);
}

std::set<std::string> faults_of(const Graph& graph) {
  std::set<std::string> where;
  for (const GraphFault& fault : find_graph_faults(graph)) where.insert(fault.where);
  return where;
}

/// Finds words and types that operators of the lower opset do not take.
void compare_forms(const Graph& before, const Graph& after, Obstacles& obstacles) {
  try {
    check_signatures(after);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidModel) throw;
    obstacles.add(before.opset(), error.what());
  }
  const std::set<std::string> known = faults_of(before);
  for (const GraphFault& fault : find_graph_faults(after))
    if (!known.contains(fault.where)) obstacles.add(before.opset(), fault.where + ": " + fault.what);
}

std::string nearest_version(const Target& target, int64_t opset) {
  const Target* nearest = nearest_newer(target, [&](const Target& other) {
    const int64_t limit = opset_limit(other);
    return limit == 0 || limit >= opset;
  });
  return nearest ? "--target " + nearest->spec() + ", the nearest version that takes it" : std::string();
}

bool holds_4bit_codes(const Graph& graph) {
  const ValueMap<DataType> types = value_types(graph);
  return std::ranges::any_of(graph.values(), [&](const Value& value) {
    return types[value.id] == DataType::Int4 || types[value.id] == DataType::UInt4;
  });
}

}  // namespace

int64_t opset_limit(const Target& target) { return target.parser.refuses_newer ? target.newest_opset() : 0; }

void fit_opset(Model& model, const Target& target) {
  if (!target.parser.codes_of_4_bits && holds_4bit_codes(model.graph()))
    check_takes_4bit_codes(target, "a model without such codes");
  const int64_t limit = opset_limit(target), from = model.graph().opset();
  if (limit == 0 || (from <= limit && model.ir_version() <= ir_of_opset(limit))) return;
  Model lowered = model.clone();
  Obstacles obstacles;
  if (from > limit) {
    change_all(lowered, [&](Model& inner) {
      if (limit < kAttentionOpset) expand_attention_operators(inner);
      expand_newer(inner, limit, obstacles);
    });
    for (auto version = static_cast<int>(from); version > limit && obstacles.texts.empty(); --version)
      change_all(lowered, [&](Model& inner) { step_down(inner, version, obstacles); });
    if (obstacles.texts.empty()) compare_forms(model.graph(), lowered.graph(), obstacles);
  }
  if (!obstacles.texts.empty()) {
    std::string hint = nearest_version(target, obstacles.needed);
    if (hint.empty()) hint = fmt::format("export the model with opset {}", limit);
    throw Error(ErrorCode::Unsupported,
                fmt::format("{} reads opset {} at most, and the model, of opset {}, cannot be lowered: {}",
                            target.spec(), limit, from, join(obstacles.texts, "; ")),
                hint);
  }
  GraphPatch patch;
  patch.reason = "lower the ir_version";
  patch.newest_ir = ir_of_opset(limit);
  apply_patch(lowered, patch);
  model = std::move(lowered);
}

void check_opset_limit(const Target& target, int64_t opset, const std::string& what) {
  if (const int64_t limit = opset_limit(target); limit > 0 && opset > limit)
    throw Error(ErrorCode::InvalidOption,
                fmt::format("{} opset {}; {} reads {} at most", what, opset, target.spec(), limit),
                nearest_version(target, opset));
}

}  // namespace detent
