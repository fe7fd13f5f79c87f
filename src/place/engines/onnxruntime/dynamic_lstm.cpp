// An LSTM has INT8 weights, and finds the scales of its data and its states at run time.
//
//   before:   x --> LSTM(w, r) --> y
//   after:    x --> DynamicQuantizeLSTM(codes of w, codes of r) --> y
//
// The operator is one of com.microsoft. Each column of its weights, which are those of LSTM turned over, has a scale.
// On a CPU without VNNI, weights are scaled until no pair of them saturates, as those of other layers (`--cpu`).
//
// * Decides: an LSTM of FP32 data with constant W and R reads floats. X has one range in a run, over all steps, and the
//   hidden state one at each step. With data or a table this holds by default for a hidden size from 128 on, with
//   `--activation dynamic` or `--include` for each. R13 and bounds judge it like any quantized layer.
//
//   Float stay, with a line in the plan: an LSTM with `layout` 1, one that a body of If, Loop or Scan holds, GRU and
//   RNN (the engine has no such operator), and any of them with another `--activation`.
// * Why: one row of data meets all weights, and reading them is what takes time. Of float's time, one thread, batch 1,
//   a CPU without VNNI, 1 and 32 steps: .93 and .75 with 64 states and 128 inputs, .79 and .49 with 128 and 128, .64
//   and .34 with 256 and 256. Networks of one or two such layers keep 34 to 40 dB.
// * Change it: `--exclude` keeps one float, `--include` quantizes a small one; `--activation uint8` keeps all float.
// * Source: ONNX Runtime, docs/ContribOperators.md; tried and timed in 1.32.

#include "ops/traits.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent {
namespace {

// Below it the engine's float LSTM takes little longer, or less: measured, see above.
constexpr int64_t kLeastHidden = 128;

bool is_float32_weight(const Graph& graph, MaybeValue value) {
  const Tensor* tensor = graph.constant(value);
  return tensor && tensor->type() == DataType::Float32 && tensor->shape().rank() == 3;
}

}  // namespace

std::string recurrent_obstacle(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  if (node.op_type != "LSTM")
    return "ONNX Runtime has no " + node.op_type + " with INT8 weights, as DynamicQuantizeLSTM is for LSTM";
  const PlacementRequest& options = draft.options();
  if (!options.dynamic_products && !options.ruined_products_dynamic)
    return "ONNX Runtime's LSTM with INT8 weights, DynamicQuantizeLSTM, finds its scales at run time, not in advance";
  const Graph& graph = facts.graph();
  if (!is_float32_weight(graph, node.input(1)) || !is_float32_weight(graph, node.input(2)))
    return "DynamicQuantizeLSTM has constant weights, made of FP32 ones";
  if (node.int_or("layout", 0) != 0) return "DynamicQuantizeLSTM has no attribute layout";
  const int64_t hidden = graph.constant(node.input(2))->shape()[2];
  if (hidden < kLeastHidden && !options.dynamic_products && !draft.is_forced(node.id))
    return "with " + std::to_string(hidden) + " states a DynamicQuantizeLSTM is hardly faster; it is from " +
           std::to_string(kLeastHidden) + " on (--include quantizes it nevertheless)";
  return "";
}

namespace rules::onnxruntime {
namespace {

void mark_lstm(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (!is_recurrent(node) || draft.is_out(node.id)) continue;
    if (recurrent_obstacle(facts, draft, node).empty())
      draft.run_dynamic(node.id, "INT8 weights; scales of data and states are found at run time: DynamicQuantizeLSTM");
  }
}

}  // namespace

constinit const Rule kDynamicLstm{.name = {"O14", "dynamic LSTM"}, .mark = mark_lstm};

}  // namespace rules::onnxruntime
}  // namespace detent
