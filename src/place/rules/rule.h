#pragma once

#include "place/plan/rule_id.h"

namespace detent {

class PlacementDraft;
struct Node;

/// A placement rule. A draft passes four rounds, each through all rules of the target in list order: `mark` excludes or
/// forces nodes, `decide` decides edges and layers, `visit` does so node by node in execution order, all rules at each
/// node, and `share` runs when all pairs exist and ties scales together. A rule without a part in a round has nullptr
/// there.
struct Rule {
  RuleId id = RuleId::None;
  void (*mark)(PlacementDraft& draft) = nullptr;
  void (*decide)(PlacementDraft& draft) = nullptr;
  void (*visit)(PlacementDraft& draft, const Node& node) = nullptr;
  void (*share)(PlacementDraft& draft) = nullptr;
};

}  // namespace detent
