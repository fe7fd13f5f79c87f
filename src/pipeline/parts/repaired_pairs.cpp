#include "pipeline/parts/repaired_pairs.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "core/text.h"
#include "place/rules/rules.h"

namespace detent {

namespace {

/// Lists the pairs of one repair.
class PairList {
 public:
  explicit PairList(const RepairPlan& repaired) : in_(repaired) {
    for (const EdgeDecision& edge : in_.plan.edges)
      if (edge.reads_pair()) readers_[edge.value].push_back(&edge);
  }

  std::vector<RepairReport::Pair> run() {
    used_ = in_.constant_weights();
    for (const ValueId value : in_.plan.quantized_values()) add_planned(value);
    for (const auto& [name, grid] : in_.trained.values)
      if (!used_.contains(name)) add_removed(name);
    for (const std::string& name : in_.trained.unread) add(name, "removed", nullptr, "nothing reads it");
    if (!in_.format.int32_bias)
      for (const auto& [node, slot] : in_.trained.biases)
        add("bias of " + node, "removed", nullptr, "the engine takes float biases and rounds them itself");
    return std::move(list_);
  }

 private:
  void add(std::string value, const char* action, RuleId rule, std::string reason, std::string from = {}) {
    // The value behind a Relu that a pair stands for is none of the file's.
    if (const auto relu = in_.trained.relus.find(from.empty() ? value : from); relu != in_.trained.relus.end())
      from = relu->second;
    list_.push_back({std::move(value), action, name_of(rule), std::move(reason), std::move(from)});
  }
  [[nodiscard]] const std::string& name(ValueId value) const { return in_.graph().value(value).name; }
  [[nodiscard]] Slot slot_of(const EdgeDecision& edge) const {
    return {in_.graph().node(edge.consumer).name, edge.slot};
  }
  [[nodiscard]] std::string node_text(NodeId node) const {
    return in_.graph().node(node).op_type + " '" + in_.graph().node(node).name + "'";
  }

  static std::string fitted_text(const QdqNode& grid) {
    if (!grid.clipped) return "its range on a grid that the target takes";
    return fmt::format("the range of its codes {} to {}, which a Clip left, in all codes", grid.clipped->lowest,
                       grid.clipped->highest);
  }

  void add_planned(ValueId value) {
    const auto& readers = readers_[value];
    const std::optional<OutputPair>& output = in_.plan.about(value).output;
    const RuleId rule = readers.empty() ? output->rule : readers.front()->rule;
    const std::string& why = readers.empty() ? output->reason : readers.front()->reason;
    const auto carried = in_.carried.find(value);
    if (carried == in_.carried.end()) return add_new(value, rule, why);
    const auto& [range, origin, from] = carried->second;
    used_.insert(from);
    const std::string other = from == name(value) ? "" : from;
    if (!(range == in_.ranges.at(value)))
      return add(name(value), "moved", rule, "it takes the wider scale of a value that it shares one with: " + why,
                 other);
    if (origin == CarriedRange::Origin::Moved)
      return add(name(value), "moved", rule, "from '" + from + "', whose range covers it: " + why, from);
    if (origin == CarriedRange::Origin::Fitted)
      return add(name(value), "moved", rule, fitted_text(*in_.trained.values.at(from)) + ": " + why, other);
    add(name(value), "kept", rule, why);
    for (const EdgeDecision* edge : readers)
      if (!in_.trained.read.contains(slot_of(*edge)))
        add(name(value), "added", edge->rule, node_text(edge->consumer) + " reads the pair too: " + edge->reason);
    for (const Use& use : in_.graph().value(value).uses) add_lost_reader(value, use);
  }

  /// Adds a reader of a kept pair that reads the float value now.
  void add_lost_reader(ValueId value, const Use& use) {
    if (use.slot < 0 || !in_.trained.read.contains({in_.graph().node(use.node).name, use.slot})) return;
    const EdgeDecision* edge = in_.plan.find_edge(use.node, use.slot);
    if (edge && !edge->reads_pair())
      add(name(value), "removed", edge->rule, node_text(use.node) + " reads the float value: " + edge->reason);
  }

  void add_new(ValueId value, RuleId rule, const std::string& why) {
    const Range& range = in_.ranges.at(value);
    const auto unusable = in_.trained.unusable.find(name(value));
    const std::string none =
        unusable == in_.trained.unusable.end() ? "" : "the file gives it " + unusable->second + ", which is none: ";
    const bool shared = range.given_scale > 0;
    add(name(value), "added", rule,
        none + (shared ? "it takes the scale of a value that it shares one with: " : "") + why);
  }

  void add_removed(const std::string& value) {
    const MaybeValue id = in_.graph().find_value(value);
    if (!id) return add(value, "removed", nullptr, "the value is folded into a layer");
    for (const Use& use : in_.graph().value(*id).uses) {
      const EdgeDecision* edge = use.slot < 0 ? nullptr : in_.plan.find_edge(use.node, use.slot);
      if (edge) return add(value, "removed", edge->rule, node_text(use.node) + ": " + edge->reason);
    }
    add(value, "removed", &rules::kGraphOutputs, "a graph output stays float");
  }

  const RepairPlan& in_;
  std::map<ValueId, std::vector<const EdgeDecision*>> readers_;
  std::set<std::string> used_;  // names of values of the file whose scale is carried
  std::vector<RepairReport::Pair> list_;
};

}  // namespace

std::vector<RepairReport::Pair> describe_pairs(const RepairPlan& repaired) { return PairList(repaired).run(); }

}  // namespace detent
