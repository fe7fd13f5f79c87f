#pragma once

#include <span>
#include <string_view>

#include "place/targets/target.h"

namespace detent {

class PlacementDraft;

/// One placement rule. A draft passes four rounds, each through all rules of the target in list order: `mark` says
/// which nodes are out of bounds or forced, `decide` decides edges and layers, `visit` does so node by node in
/// execution order, all rules at each node, and `share` sees every pair and ties scales together. A round a rule has no
/// part in is nullptr.
struct Rule {
  std::string_view name;    ///< "R4 residual add": what the plan prints
  std::string_view source;  ///< where it was read
  void (*mark)(PlacementDraft& draft) = nullptr;
  void (*decide)(PlacementDraft& draft) = nullptr;
  void (*visit)(PlacementDraft& draft, const Node& node) = nullptr;
  void (*share)(PlacementDraft& draft) = nullptr;
};

/// The rules of an engine, in the order they are applied.
[[nodiscard]] std::span<const Rule> rule_list(Engine engine);

/// All rounds of the rules of the draft's target.
/// Errors  InvalidOption for a regular expression that does not parse or an include or exclude that matches nothing.
void apply_rules(PlacementDraft& draft);

}  // namespace detent
