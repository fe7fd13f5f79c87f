//   wrong:   Mul (boxes, 0 to 640) ---> Concat --> Q/DQ(2.5)     right: pairs in front of the Concat, or none
//            Sigmoid (scores) ----------^
//
// A Sigmoid or Softmax writes numbers from 0 to 1. Joined with boxes in pixels under one scale they keep a few codes,
// and the order of detections is lost.

#include <cmath>
#include <set>

#include "core/text.h"
#include "lint/findings/findings.h"
#include "lint/view/pair_numbers.h"
#include "place/draft/flow.h"

namespace detent::findings {
namespace {

constexpr double kFewest = 16;  // codes between 0 and 1: 4 bits

// Returns the operator whose scores a Concat joins into the value, also through copies; nullptr for none.
const Node* scores_in(const LintView& view, ValueId value) {
  std::vector<std::pair<ValueId, bool>> open{{value, false}};  // true: behind a Concat
  std::set<ValueId> seen{value};
  while (!open.empty()) {
    const auto [at, joined] = open.back();
    open.pop_back();
    const Node* node = view.producer(at);
    if (!node) continue;
    const OpKind kind = view.facts().kind(node->id);
    if (joined && (kind == OpKind::Sigmoid || kind == OpKind::Softmax)) return node;
    const bool concat = is_data_concat(view.facts(), view.found(), node->id);
    if (!concat && !commutes(view.facts(), view.found(), node->id)) continue;
    for (const int slot : view.facts().data_slots(node->id))
      if (const ValueId input = *node->input(slot); seen.insert(input).second)
        open.emplace_back(input, joined || concat);
  }
  return nullptr;
}

}  // namespace

void coarse_scores(const LintView& view, FindingLog& log) {
  std::set<NodeId> told;
  for (const Value& value : view.graph().values()) {
    const auto pairs = view.pairs_on(value.id);
    if (pairs.empty() || value.is_constant) continue;
    const QdqNode& grid = view.grid(*pairs.front());
    if (grid.scales.size() != 1 || !(grid.scales.front() > 0)) continue;
    const double scale = static_cast<double>(grid.scales.front());
    if (1 / scale >= kFewest) continue;
    const Node* scores = scores_in(view, value.id);
    if (!scores || !told.insert(scores->id).second) continue;
    log.add(scores->name,
            "its numbers from 0 to 1 share the scale " + number_text(scale) + " of '" + value.name +
                "' with larger ones: they have " + plural(static_cast<size_t>(std::lround(1 / scale)) + 1, "code"),
            "quantize what is joined apart, or leave the pairs behind the last layer away",
            view.layers_reading(value.id));
  }
}

}  // namespace detent::findings
