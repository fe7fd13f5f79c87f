// Nodes that 8 bits cost too much get 16-bit codes.
//
//   before:   x --> Q/DQ(8) --> Conv --> Q/DQ(8) --> Add --> Q/DQ(8) --> Conv
//   after:    x --> Q/DQ(8) --> Q/DQ(16) --> Conv --> Q/DQ(16) --> Add --> Q/DQ(16) --> Q/DQ(8) --> Conv
//
// Copies carry the width up to the node before them, and an activation has the width of the unit that includes it. The
// nodes in front write 16 bits, because their results would lose the digits before the node reads them.
//
// * Decides: nodes that 8 bits cost too much (R13: `--max-drop`, `--min-sqnr`, or more than the default allows) read
//   and write 16-bit codes, and so do the nodes that write their data. Copies and activations of a unit carry the
//   width. All other nodes have 8 bits. At a border a second pair stands behind the first: DQ(8), Q(16), DQ(16), or
//   back.
// * Why: HTP has no float kernels, and its kernels have one type for inputs and output. The execution provider makes
//   one Convert of DQ and Q of two widths.
// * Change it: `--override` with `"bits": 16` names values: the nodes that write and read them get 16 bits.
//   `--activation uint16` gives 16 bits to all.
// * Source: onnxruntime, python/tools/quantization/execution_providers/qnn/mixed_precision_overrides_utils.py
//   (conversion at the producer, for a set of readers); core/providers/qnn/builder/qnn_node_group (DQ and Q become a
//   Convert).
// * Networks: models/bccd_dfl, which has one scale for boxes in pixels and for scores.

#include <algorithm>
#include <vector>

#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

namespace detent::rules::qnn {
namespace {

constexpr int kNarrow = 8, kWide = 16;

/// Finds the nodes that compute with 16-bit codes.
class Islands {
 public:
  explicit Islands(const GraphFacts& facts, PlacementDraft& draft) : facts_(facts), draft_(draft) {}

  void mark_readers_and_writer(ValueId value) {
    const std::string reason = "'" + facts_.value(value).name + "' has 16-bit codes";
    if (const Node* writer = facts_.producer(value)) widen(*writer, reason);
    for (const Use& use : facts_.value(value).uses)
      if (use.slot >= 0 && draft_.is_pair(use.node, use.slot)) widen(facts_.node(use.node), reason);
  }

  void mark_costly(const Node& node, const std::string& reason) {
    widen(node, reason);
    for (const int slot : facts_.data_slots(node.id)) widen_writer(*node.input(slot), node);
  }

  /// Gives an activation that a unit includes the width of the unit, and the other way round.
  void join_units() {
    for (const Node& node : facts_.graph().nodes()) {
      const Node* before = first_of_unit(node);
      if (!before || is_wide(node) == is_wide(*before)) continue;
      widen(node, "part of a unit of 16 bits");
      widen(*before, "part of a unit of 16 bits");
    }
  }

 private:
  [[nodiscard]] bool is_wide(const Node& node) const { return draft_.width(node.id) == kWide; }

  void widen(const Node& node, const std::string& reason) {
    if (!is_unit(facts_, draft_, node) || is_wide(node)) return;
    draft_.widen(node.id, reason);
  }

  /// Returns the node whose unit includes this activation: nothing stands between the two.
  [[nodiscard]] const Node* first_of_unit(const Node& node) const {
    const MaybeValue input = facts_.data_input(node.id);
    if (!input || !is_unit(facts_, draft_, node) || !facts_.is_float(input) ||
        draft_.is_pair(node.id, facts_.data_slots(node.id).front()))
      return nullptr;
    const Node* before = facts_.producer(input);
    return before && is_unit(facts_, draft_, *before) ? before : nullptr;
  }

  void widen_writer(MaybeValue value, const Node& reader) {
    while (const Node* writer = !value || facts_.is_constant(value) ? nullptr : facts_.producer(value)) {
      widen(*writer, "writes data of " + facts_.describe(reader.id));
      const bool goes_on = has_one_encoding(draft_, writer->id) || first_of_unit(*writer);
      value = goes_on ? facts_.data_input(writer->id) : kNoValue;
    }
  }

  const GraphFacts& facts_;
  PlacementDraft& draft_;
};

void find_islands(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().type != CodeType::Int8) return;
  std::vector<ValueId> named;
  for (const Value& value : facts.graph().values())
    if (draft.has_pair(value.id) && draft.is_wide(value.id)) named.push_back(value.id);
  Islands islands(facts, draft);
  for (const ValueId value : named) islands.mark_readers_and_writer(value);
  for (const auto& [name, reason] : draft.measured().wide)
    if (const MaybeNode node = facts.graph().find_node(name); node && is_unit(facts, draft, facts.node(*node)))
      islands.mark_costly(facts.node(*node), reason);
  islands.join_units();
  const auto& nodes = facts.graph().nodes();
  if (std::ranges::none_of(nodes, [&](const Node& node) { return draft.width(node.id) == kWide; })) return;
  for (const Node& node : nodes)
    if (is_unit(facts, draft, node) && draft.width(node.id) != kWide) draft.set_width(node.id, kNarrow);
}

}  // namespace

constinit const Rule kIslands{.name = {"H6", "16-bit island"}, .share = find_islands};

}  // namespace detent::rules::qnn
