#include "place/draft/residual_stream.h"

#include <algorithm>

#include "place/draft/flow.h"
#include "place/draft/norms.h"

namespace detent {
namespace {

bool is_sum(const GraphFacts& facts, const Node& node) {
  return facts.kind(node.id) == OpKind::Add && node.inputs.size() == 2 && node.inputs[0] && node.inputs[1] &&
         node.inputs[0] != node.inputs[1] && !facts.is_constant(node.inputs[0]) && !facts.is_constant(node.inputs[1]);
}

class StreamFinder {
 public:
  explicit StreamFinder(const GraphFacts& facts, const PlacementDraft& draft)
      : facts_(facts), draft_(draft), found_{.values = ValueMap<bool>(facts.graph().values().size()), .adds = {}} {}

  ResidualStream run() {
    for (const Node& node : facts_.graph().nodes()) add_norm(node);
    // An Add joins the stream with its neighbours on either side; each pass handles a chain in one direction.
    const auto& nodes = facts_.graph().nodes();
    std::vector<NodeId> sums;
    for (const Node& node : nodes)
      if (is_sum(facts_, node)) sums.push_back(node.id);
    NodeMap<bool> joined(nodes.size(), false);
    for (bool changed = !sums.empty(); changed;) {
      changed = false;
      for (const NodeId sum : sums) changed = join(sum, joined) || changed;
      for (auto sum = sums.rbegin(); sum != sums.rend(); ++sum) changed = join(*sum, joined) || changed;
    }
    for (const NodeId sum : sums)
      if (joined[sum]) found_.adds.push_back(sum);
    return std::move(found_);
  }

 private:
  void mark(MaybeValue value) {
    if (value) found_.values[*value] = true;
  }

  void add_norm(const Node& node) {
    const auto norm = norm_ending_in(facts_, node);
    const MaybeValue input = norm ? norm->input : kNoValue;
    if (input && !facts_.is_constant(input)) {
      mark(input);
      mark(node.output(0));
    } else if (is_constant_affine(facts_, node.id)) {
      pass_on(node, varying_input(facts_, node.id));
    } else if (commutes(facts_, draft_, node.id) || facts_.kind(node.id) == OpKind::Cast) {
      pass_on(node, node.input(0));
    }
  }

  void pass_on(const Node& node, MaybeValue from) {
    if (!found_.contains(from)) return;
    for (const ValueId output : present(node.outputs)) mark(output);
  }

  bool join(NodeId sum, NodeMap<bool>& joined) {
    const Node& node = facts_.node(sum);
    const bool touches =
        found_.contains(node.inputs[0]) || found_.contains(node.inputs[1]) || found_.contains(node.output(0));
    if (!touches || joined[sum]) return false;
    joined[sum] = true;
    mark(node.inputs[0]);
    mark(node.inputs[1]);
    mark(node.output(0));
    return true;
  }

  const GraphFacts& facts_;
  const PlacementDraft& draft_;
  ResidualStream found_;
};

}  // namespace

ResidualStream residual_stream(const PlacementDraft& draft) { return StreamFinder(draft.facts(), draft).run(); }

}  // namespace detent
