//   Conv (excluded)     If, Loop, Scan     x: float[N,3,224,224]          notes
//
// A node that stays float splits the graph: ONNX Runtime runs it on the CPU, with copies of its data to and from HTP,
// or refuses the session (session.disable_cpu_ep_fallback=1). Control flow and open extents have no place on HTP. The
// plan places what it can and names these; `lint` reports them as errors.
//
// Source: onnxruntime.ai/docs/execution-providers/QNN-ExecutionProvider.html, read in November 2026; Olive issue 1552.

#include <algorithm>

#include "ops/traits.h"
#include "place/draft/qnn_units.h"
#include "place/rules/rules.h"

namespace detent::rules::qnn {
namespace {

void note_islands(const GraphFacts& facts, PlacementDraft& draft) {
  const auto is_data = [&](MaybeValue value) { return value && facts.is_float(value); };
  for (const Node& node : facts.graph().nodes()) {
    if (holds_graphs(node)) {
      draft.note(facts.describe(node.id) + " holds a graph, which HTP does not run: it splits the model");
    } else if (const std::string obstacle = is_recurrent(node) ? recurrent_obstacle(facts.graph(), node) : "";
               !obstacle.empty()) {
      draft.note(facts.describe(node.id) + " " + obstacle + ": it stays float and splits the model");
    } else if (draft.is_out(node.id) && std::ranges::any_of(present(node.outputs), is_data)) {
      draft.note(facts.describe(node.id) + " stays float, which HTP does not run: it splits the model");
    }
  }
}

void note_open_shapes(PlacementDraft& draft) {
  for (const ValueId input : draft.facts().graph().inputs()) {
    const Value& value = draft.facts().value(input);
    if (!value.declared_shape || std::ranges::find(*value.declared_shape, -1) == value.declared_shape->end()) continue;
    draft.note("graph input '" + value.name + "' has an open extent: HTP takes static shapes only");
  }
}

void name_obstacles(const GraphFacts& facts, PlacementDraft& draft) {
  note_islands(facts, draft);
  note_open_shapes(draft);
}

}  // namespace

Rule float_islands() { return {.id = RuleId::QnnFloatIsland, .share = name_obstacles}; }

}  // namespace detent::rules::qnn
