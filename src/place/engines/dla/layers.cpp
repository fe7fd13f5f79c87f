// Layers that DLA can run are INT8; the others go to the GPU, with a reason.
//
//   model:   x --> Conv --> Relu --> GlobalAveragePool --> Conv
//   DLA:     int8  INT8    (inside)  GPU                   INT8
//
// TensorRT runs a layer in INT8 if the calibration cache has a scale for its values. A Concat of boxes and scores would
// have one scale on DLA.
//
// * Decides: a layer that DLA can run reads pairs and is INT8; an activation behind a Conv or Gemm computes inside its
//   layer. Softmax, LRN and decoding (R18) compute in FP16. Other layers go to the GPU in FP16, with a reason: another
//   operator, three dimensions, a window, stride or padding beyond the limits.
// * Why: DLA takes a float model with a calibration cache. The pairs are for calibrating and measuring, and are not
//   written.
// * Change it: `--exclude` gives a layer FP16.
// * Source: NVIDIA, [DLA Supported Layers and
//   Restrictions](https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/dla-layer-restrictions.html);
//   jetson_dla_tutorial; Model-Optimizer, pull request 1661 ("DLA still only supports IQ").

#include <map>

#include "core/text.h"
#include "place/draft/decoding.h"
#include "place/draft/flow.h"
#include "place/engines/dla/dla_layers.h"
#include "place/engines/dla/dla_support.h"
#include "place/engines/dla/rules.h"

namespace detent::rules::dla {
namespace {

void note_gpu_nodes(PlacementDraft& draft, const std::map<std::string, std::vector<NodeId>>& by_reason) {
  for (const auto& [reason, nodes] : by_reason)
    draft.note("on the GPU: " + draft.facts().describe(nodes.front()) +
               (nodes.size() > 1 ? " and " + std::to_string(nodes.size() - 1) + " more" : "") + ": " + reason);
}

// Keeps out what the GPU runs, so that no pair is decided there.
void mark_gpu_nodes(const GraphFacts& facts, PlacementDraft& draft) {
  CertainShapes shapes(facts);
  std::map<std::string, std::vector<NodeId>> by_reason;
  for (const Node& node : facts.graph().nodes()) {
    if (!is_dla_candidate(facts, node) || draft.is_out(node.id)) continue;
    const std::string obstacle = dla_obstacle(facts, node, shapes);
    if (obstacle.empty()) continue;
    draft.keep_out(node.id, "runs on the GPU: " + obstacle);
    by_reason[obstacle].push_back(node.id);
  }
  note_gpu_nodes(draft, by_reason);
}

void place(const GraphFacts& facts, PlacementDraft& draft, const Node& node) {
  const DlaLayer* layer = find_dla_layer(node.op_type);
  if (layer && !layer->int8) {
    for (const int slot : facts.data_slots(node.id))
      draft.keep_float(node.id, slot, "DLA computes " + std::string(layer->layer) + " in FP16");
    return;
  }
  if (!facts.is_weighted(node.id) && is_decoding(draft, node.id)) return;  // R18 explains it
  if (facts.is_weighted(node.id)) {
    draft.run_int8(node.id, "INT8 on DLA");
    if (const MaybeNode activation = fused_activation(facts, draft, node.output(0)))
      draft.keep_float(*activation, 0, "computes inside " + facts.describe(node.id));
  }
  for (const int slot : facts.data_slots(node.id))
    if (facts.is_float(node.input(slot)) && facts.may_carry_pair(node.input(slot)))
      draft.pair(node.id, slot, "INT8 on DLA, with the scale of the calibration cache");
}

void decide_layers(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    if (is_dla_candidate(facts, node) && !draft.is_out(node.id)) place(facts, draft, node);
}

}  // namespace

constinit const Rule kLayers{.name = {"D1", "DLA layer"}, .mark = mark_gpu_nodes, .decide = decide_layers};

}  // namespace detent::rules::dla
