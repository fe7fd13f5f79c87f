// Notes name what HTP does not run.
//
//   Conv (excluded)     If, Loop, Scan     x: float[N,3,224,224]          notes
//
// ONNX Runtime runs a float node on the CPU, with copies of its data to and from HTP, or refuses the session
// (session.disable_cpu_ep_fallback=1).
//
// * Decides: no pair. The plan's notes name each node that stays float, control flow, and graph inputs with open
//   extents. They name RNN, and with the reason the LSTM and GRU that the execution provider does not take. They also
//   name nodes for which HTP has no kernel: LSTM, GRU, Mod, Erf outside GELU, MaxPool over three axes, GatherND of
//   booleans, values of more than five axes, Selu, Swish, Tan, ThresholdedRelu, GroupNormalization, RotaryEmbedding,
//   RoiAlign, the Scatter operators, DFT, STFT and losses. A CumSum makes the verdict doubtful. Attention, LpPool,
//   MaxRoiPool and TopK run in floats between their pairs.
// * Why: each of the former splits the graph or keeps it off HTP. `lint` reports them as errors (`htp-...`). A CumSum
//   comes out wrong (-13 dB for 30). The codes that a Conv writes for an operator in floats are 2 to 3 dB worse.
// * Change it: fix the extents and export without control flow.
// * Source: onnxruntime.ai/docs/execution-providers/QNN-ExecutionProvider.html; Olive, issue 1552.

#include <algorithm>

#include "ops/traits.h"
#include "place/engines/qnn/qnn_units.h"
#include "place/engines/qnn/rules.h"

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
    } else if (const std::string missing = missing_kernel(facts, node); !missing.empty()) {
      const std::string reason = facts.describe(node.id) + " " + missing;
      if (is_wrong_on_htp(node))
        draft.doubt({node.id, reason, "write the sum as a product with a triangle of ones"});
      else
        draft.note(reason);
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

constinit const Rule kFloatIslands{.name = {"H5", "float island"}, .share = name_obstacles};

}  // namespace detent::rules::qnn
