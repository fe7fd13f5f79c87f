#pragma once

#include "place/plan/rule_id.h"

namespace detent {

class PlacementDraft;
struct Node;

/// One placement rule. A draft passes four rounds, each through all rules of the target in list order: `mark` says
/// which nodes are out of bounds or forced, `decide` decides edges and layers, `visit` does so node by node in
/// execution order, all rules at each node, and `share` sees every pair and ties scales together. A round a rule has no
/// part in is nullptr.
struct Rule {
  RuleId id = RuleId::None;
  void (*mark)(PlacementDraft& draft) = nullptr;
  void (*decide)(PlacementDraft& draft) = nullptr;
  void (*visit)(PlacementDraft& draft, const Node& node) = nullptr;
  void (*share)(PlacementDraft& draft) = nullptr;
};

}  // namespace detent
