#pragma once

#include <string>
#include <string_view>

namespace detent {

class GraphFacts;
class GraphFacts;
class PlacementDraft;
struct Node;

/// How plans and pages name a rule, and where it comes from.
struct RuleName {
  std::string_view number;  ///< "R4"; may be empty
  std::string_view words;   ///< "residual add"
  std::string_view source;
};

/// A placement rule. A draft passes four rounds, each through all rules of the target in list order: `mark` excludes or
/// forces nodes, `decide` decides edges and layers, `visit` does so node by node in execution order, all rules at each
/// node, and `share` runs when all pairs exist and ties scales together. A rule without a part in a round has nullptr
/// there. `facts` are those that the draft holds.
struct Rule {
  RuleName name;
  void (*mark)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*decide)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  void (*visit)(const GraphFacts& facts, PlacementDraft& draft, const Node& node) = nullptr;
  void (*share)(const GraphFacts& facts, PlacementDraft& draft) = nullptr;
  bool residual_adds = false;  ///< it decides the inputs of residual Adds
  /// The data of a layer whose edge this rule keeps float is read through the pair in front of the node that writes it.
  bool moves_pairs_up = false;
};

/// The rule behind a decision; nullptr where none decided.
using RuleId = const Rule*;

/// Returns the name that plans and reports print: "R4 residual add", "known range", and "-" for none.
[[nodiscard]] std::string name_of(RuleId rule);

}  // namespace detent
