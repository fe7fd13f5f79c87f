// Every reader of a value with a pair reads its codes.
//
//   before:   Conv --+--> Q --> DQ --> Conv              after:   Conv --> Q --> DQ --+--> Conv
//                    +--> Tanh                                                        +--> Tanh
//
// * Decides: every reader of a value that an integer kernel writes reads the DequantizeLinear of its pair, float
//   operators too. Behind float kernels and graph inputs only readers that need the pair do. Excluded nodes read float,
//   and so does a MaxPool, Reshape, Transpose, Squeeze, Unsqueeze or Slice whose output an If, Loop or Scan reads
//   inside.
// * Why: a second, float reader beside the QuantizeLinear keeps the producer a float kernel. The engine moves pairs
//   across those six, and ONNX Runtime 1.30 ends the process where a pair would move into an If, Loop or Scan. A float
//   kernel gains nothing: an RT-DETR whose sampling places and boxes read the pair of a product lost 1.0 points of mAP
//   (.8347 -> .8249; FP32 .838).
// * Change it: no option.
// * Source: tried.
// * Networks: models/cifar10_efficientnet_b0 (ReduceMean next to Mul).

#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

void share_every_reader(const GraphFacts& facts, PlacementDraft& draft) {
  const ValueMap<bool> by_integers = int8_sources(draft);
  for (const Value& value : facts.graph().values()) {
    if (value.is_constant || !draft.has_pair(value.id) || !by_integers[value.id]) continue;
    for (const Use& use : value.uses) {
      if (use.slot < 0 || draft.is_pair(use.node, use.slot) || must_read_float(draft, use.node) ||
          facts.moves_pairs_into_subgraph(use.node))
        continue;
      draft.replace_with_pair(
          use.node, use.slot,
          "a float reader next to the pair would keep " + facts.describe_source(value.id) + " a float kernel");
    }
  }
}

}  // namespace

constinit const Rule kEveryReader{.name = {"O8", "every reader"}, .share = share_every_reader};

}  // namespace detent::rules::onnxruntime
