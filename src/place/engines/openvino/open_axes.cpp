// An INT8 Conv over an open time axis makes the verdict doubtful.
//
//   x[1, 8, T] --> Q/DQ --> Conv (kernel of one axis)        T open: doubtful, T = 400: as measured
//
// * Decides: no pair. A note, and a verdict that is not good, if a graph input has an open axis behind the batch and a
//   Conv over one axis runs in INT8 (`openvino:cpu`).
// * Why: OpenVINO computed 17 dB for 39 of a Conv in front of an LSTM, and 11 dB for 39 of a U-Net of Conv and GELU,
//   also of NNCF's files. With a fixed length it computes what the file says. On a CPU with AVX2 alone 90 such
//   networks came out right: Detent cannot see which CPU the file will meet.
// * Change it: fix the length, by `model.reshape` before `compile_model` or in the file.
// * Source: OpenVINO 2026.4.1, CPU plugin, asked in November 2026.
// * Networks: none with an open time axis.

#include <algorithm>

#include "place/engines/openvino/rules.h"

namespace detent::rules::openvino {
namespace {

// Returns the graph input with an open axis behind the batch; kNoValue without one.
MaybeValue open_input(const Graph& graph) {
  for (const ValueId input : graph.inputs()) {
    const auto& shape = graph.value(input).declared_shape;
    if (shape && shape->size() > 1 && std::ranges::find(shape->begin() + 1, shape->end(), -1) != shape->end())
      return input;
  }
  return kNoValue;
}

void doubt_open_axes(const GraphFacts& facts, PlacementDraft& draft) {
  constexpr size_t kWeightRank = 3;  // over one axis
  const MaybeValue input = *facts.target().variant == "cpu" ? open_input(facts.graph()) : kNoValue;
  if (!input) return;
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::Conv || !draft.is_int8(node.id)) continue;
    if (facts.weight(node.id).shape().rank() != kWeightRank) continue;
    const std::string name = facts.value(*input).name;
    return draft.doubt({node.id,
                        "input '" + name +
                            "' has an open axis, over which OpenVINO computes INT8 Convs wrongly on "
                            "some CPUs, which Detent cannot measure",
                        "fix the length: model.reshape({'" + name + "': [...]}) before compile_model, or in the file"});
  }
}

}  // namespace

constinit const Rule kOpenAxes{.name = {"V5", "open axis"}, .share = doubt_open_axes};

}  // namespace detent::rules::openvino
