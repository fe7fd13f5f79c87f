// Your options include or exclude a node.
//
//   --exclude '^head':   before: Q --> DQ --> Conv 'head'        after: Conv 'head' reads float, its weight stays float
//
// * Decides: an included node is quantized even if a rule keeps it float; an excluded node stays float. Exclude wins
//   over include.
// * Why: options come before rules. They are decided first, so that the neighbours' pairs fit and no half fusion is
//   left.
// * Change it: `--include REGEX`, `--exclude REGEX` on node names, `--policy include-op=OP`, `--policy exclude-op=OP`.
// * Source: ours, like `nodes_to_exclude` of Model-Optimizer and onnxruntime.quantization.
// * Networks: models/occupancy3d (a small head, wanted in INT8), detection heads (wanted in float).

#include "model/graph/nodes_matching.h"
#include "place/rules/rules.h"

namespace detent::rules {
namespace {

std::vector<NodeId> nodes_of_operator(const Graph& graph, const std::string& op, const std::string& option) {
  std::vector<NodeId> found;
  for (const Node& node : graph.nodes())
    if (node.op_type == op) found.push_back(node.id);
  if (found.empty())
    throw Error(ErrorCode::InvalidOption, option + " '" + op + "' matches no node of the model",
                "`detent inspect` lists the operators; they are written as in ONNX, with capitals");
  return found;
}

void mark_user_choice(const GraphFacts& facts, PlacementDraft& draft) {
  const PlacementRequest& options = draft.options();
  const Graph& graph = facts.graph();
  for (const std::string& pattern : options.exclude)
    for (const NodeId node : nodes_matching(graph, pattern, "--exclude"))
      draft.exclude(node, "excluded by --exclude '" + pattern + "'");
  for (const std::string& op : options.exclude_op)
    for (const NodeId node : nodes_of_operator(graph, op, "--policy exclude-op"))
      draft.exclude(node, "excluded by --policy exclude-op=" + op);
  for (const std::string& pattern : options.include)
    for (const NodeId node : nodes_matching(graph, pattern, "--include"))
      if (!draft.is_out(node)) draft.force(node);
  for (const std::string& op : options.include_op)
    for (const NodeId node : nodes_of_operator(graph, op, "--policy include-op"))
      if (!draft.is_out(node)) draft.force(node);
}

// Gives included ops without weights pairs on their inputs; included weighted ops pass the rules that would keep them
// out.
void decide_user_choice(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!draft.is_forced(node.id) || facts.is_weighted(node.id)) continue;
    for (const int slot : facts.data_slots(node.id)) {
      const MaybeValue input = node.input(slot);
      if (facts.is_float(input) && facts.may_carry_pair(input)) draft.pair(node.id, slot, "included by the user");
    }
  }
}

}  // namespace

constinit const Rule kUserChoice{
    .name = {"R12", "user"}, .mark = mark_user_choice, .decide = decide_user_choice, .of_run = true};

}  // namespace detent::rules
