#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/graph/graph.h"

namespace detent {

class GraphFacts;
class PlacementDraft;

/// Layers that a rule keeps float, with its reasons.
using LayersKeptOut = std::map<NodeId, std::string>;

/// How plans and pages name a rule.
struct RuleName {
  std::string_view number;  ///< "R4"; may be empty
  std::string_view words;   ///< "residual add"
};

/// A placement rule. A draft passes four rounds, each through all rules of the target in list order. `mark` excludes or
/// forces nodes. `decide` decides edges and layers. `visit` does so node by node in execution order, all rules at each
/// node. `share` runs when all pairs exist and ties scales together. A rule without a part in a round has nullptr
/// there. `facts` are those that the draft holds.
///
/// `review` looks at the draft after all rounds and names layers that must stay float in spite of it. The rounds then
/// begin anew with these kept out, until no rule names more.
struct Rule {
  RuleName name;
  void (*mark)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*decide)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*visit)(const GraphFacts& facts, PlacementDraft& draft, const Node& node) = nullptr;
  void (*share)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*review)(const PlacementDraft& draft, LayersKeptOut& kept) = nullptr;
  bool of_run = false;         ///< it decides by what a run measures or is told: no other reader of the file sees why
  bool residual_adds = false;  ///< it decides the inputs of residual Adds
  /// The data of a layer whose edge this rule keeps float is read through the pair in front of the node that writes it.
  bool moves_pairs_up = false;
};

/// The rule behind a decision; nullptr where none decided.
using RuleId = const Rule*;

/// Returns the name that plans and reports print: "R4 residual add", "known range", and "-" for none.
[[nodiscard]] std::string name_of(RuleId rule);

}  // namespace detent
