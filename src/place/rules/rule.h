#pragma once

#include "place/plan/rule_id.h"

namespace detent {

class GraphFacts;
class PlacementDraft;
struct Node;

/// A placement rule. A draft passes four rounds, each through all rules of the target in list order: `mark` excludes or
/// forces nodes, `decide` decides edges and layers, `visit` does so node by node in execution order, all rules at each
/// node, and `share` runs when all pairs exist and ties scales together. A rule without a part in a round has nullptr
/// there. `facts` are those that the draft holds.
struct Rule {
  RuleId id = RuleId::None;
  void (*mark)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*decide)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*visit)(const GraphFacts& facts, PlacementDraft& draft, const Node& node) = nullptr;
  void (*share)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
};

}  // namespace detent
