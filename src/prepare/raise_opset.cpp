#include "prepare/raise_opset.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/text.h"
#include "detent/base/error.h"
#include "ops/check_signatures.h"
#include "ops/find_operator.h"
#include "ops/value_types.h"
#include "prepare/opset_adapters.h"
#include "prepare/subgraph_models.h"

namespace detent {

namespace {

bool changed_at(const Node& node, int version) {
  if (!node.domain.empty()) return false;
  if (version > kNewestListedOpset) return find_opset_change(node.op_type, version).adapt != nullptr;
  return operator_changed_at(node.op_type, version);
}

/// Builds the patch of one version step; `problems` gets one entry for each node that cannot be adapted.
class Step {
 public:
  Step(const Graph& graph, int version, std::vector<std::string>& problems)
      : graph_(graph), version_(version), problems_(problems) {
    patch_.reason = "raise the opset to " + std::to_string(version);
    patch_.opset = version;
  }

  GraphPatch run() {
    for (const Node& node : graph_.nodes()) adapt(node);
    return std::move(patch_);
  }

 private:
  void adapt(const Node& node) {
    if (!changed_at(node, version_)) return;
    const OpsetChange change = find_opset_change(node.op_type, version_);
    if (change.op_type.empty()) return refuse(node, "no adapter");
    if (!change.adapt) return;
    // Signatures exist only for operators that run; for others it is unknown whether an adapter finds its inputs.
    if (!find_operator(node.domain, node.op_type, graph_.opset())) return refuse(node, "an operator that cannot run");
    try {
      if (types_.empty()) types_ = value_types(graph_);
      change.adapt(graph_, node, types_, patch_);
    } catch (const Error& error) {
      refuse(node, error.what());
    }
  }

  void refuse(const Node& node, const std::string& why) {
    problems_.push_back("node '" + node.name + "' (" + node.op_type + "): " + why + " to opset " +
                        std::to_string(version_));
  }

  const Graph& graph_;
  int version_;
  std::vector<std::string>& problems_;
  GraphPatch patch_;
  ValueMap<DataType> types_;  // of the values, computed for the first adapter
};

/// True when the step changes some node of the graph or of its subgraphs.
bool has_changes(const Graph& graph, int version) {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    if (changed_at(node, version)) {
      const OpsetChange change = find_opset_change(node.op_type, version);
      if (change.op_type.empty() || change.adapt) return true;
    }
    return std::ranges::any_of(node.attributes, [&](const Attribute& attribute) {
      const auto* inner = std::get_if<std::shared_ptr<const Graph>>(&attribute.value);
      return inner && has_changes(**inner, version);
    });
  });
}

/// Does one version step of the subgraphs and the main graph.
void raise_by_one(Model& model, int version, std::vector<std::string>& problems) {
  change_subgraphs(
      model, [&](const Graph& inner) { return has_changes(inner, version); },
      [&](Model& inner) { raise_by_one(inner, version, problems); });
  const GraphPatch patch = Step(model.graph(), version, problems).run();
  if (problems.empty()) apply_patch(model, patch);
}

Error cannot_raise(int64_t from, int64_t wanted, const std::vector<std::string>& problems) {
  return {ErrorCode::Unsupported,
          fmt::format("cannot raise the opset from {} to {}: {}", from, wanted, join(problems, "; ")),
          fmt::format(
              "export the model again with opset {} or newer, or quantize it with --format per-tensor=on where its own "
              "opset is 10 or newer",
              wanted)};
}

}  // namespace

void raise_opset(Model& model, int64_t wanted) {
  const int64_t from = model.graph().opset();
  if (from == 0 || from >= wanted) return;
  if (wanted > kNewestRaisedOpset)
    throw Error(ErrorCode::Unsupported, "opset " + std::to_string(wanted) +
                                            " was asked for; models are raised to opset " +
                                            std::to_string(kNewestRaisedOpset) + " at most");
  Model raised = model.clone();
  std::vector<std::string> problems;
  for (int version = static_cast<int>(from) + 1; version <= wanted; ++version) {
    raise_by_one(raised, version, problems);
    if (problems.empty())
      check_signatures(raised.graph());  // an operator that the old opset did not have may become valid here
  }
  if (!problems.empty()) throw cannot_raise(from, wanted, problems);
  model = std::move(raised);
}

}  // namespace detent
