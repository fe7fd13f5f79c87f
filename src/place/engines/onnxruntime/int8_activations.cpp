// Layers that `--activation int8` keeps from integer kernels are called float.
//
//   float:    x --> Q --> DQ --+--> Conv             integer:   x --> Q --> DQ --> Conv --> Q --> DQ --> Relu
//                              +--> Conv
//   float:    Conv --> Relu --> Q --> DQ
//
// * Decides: with `--activation int8` the pairs are those of UINT8, and a layer is called float if the engine runs it
//   in float for that reason: a Conv or MatMul whose pair, in front or behind, has more than one reader; a Gemm of
//   whose two pairs one has; a layer in front of a Relu or Clip(0, b) that only the pair behind it reads. Their weights
//   are still written as INT8 per channel (O2), and bounds and sensitivity count them as INT8 layers.
// * Why: Conv and MatMul have kernels for UINT8 alone. The engine turns an INT8 pair into UINT8 where one
//   DequantizeLinear with one reader follows the QuantizeLinear (a graph output is a reader). A second QuantizeLinear
//   behind the same Conv keeps it float too, so a pair for each reader gains nothing. It absorbs a Relu only where the
//   lowest code is 0, and symmetric codes reach below. MobileNetV2 keeps 13 of 53 layers, EfficientNet-B0 28 of 82.
// * Change it: `--activation uint8`, the default; the session option `session.qdqisint8allowed=1` of the engine helps
//   with readers.
// * Source: tried at opset 17, on all shared models and 75 random networks.
// * Networks: models/imagenet_mobilenetv2.

#include <algorithm>

#include "place/draft/certain_shapes.h"
#include "place/draft/flow.h"
#include "place/engines/onnxruntime/onnxruntime_pairs.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

bool has_fixed_inputs(const Graph& graph) {
  return std::ranges::all_of(graph.inputs(), [&](ValueId input) {
    const auto& shape = graph.value(input).declared_shape;
    return shape && std::ranges::all_of(*shape, [](int64_t extent) { return extent >= 0; });
  });
}

/// Finds the layers that INT8 pairs leave float.
class Int8Pairs {
 public:
  explicit Int8Pairs(const GraphFacts& facts, PlacementDraft& draft)
      : facts_(facts), draft_(draft), shapes_(facts), fixed_inputs_(has_fixed_inputs(facts.graph())) {}

  void run() {
    bool lost = false;
    for (const Node& node : facts_.graph().nodes()) {
      if (!facts_.is_weighted(node.id) || !draft_.is_int8(node.id)) continue;
      const std::string obstacle = obstacle_of(node);
      if (obstacle.empty()) continue;
      draft_.run_rounded_float(node.id, obstacle);
      lost = true;
    }
    if (lost)
      draft_.note(
          "with INT8 activations ONNX Runtime runs layers in float that it runs in integers with UINT8, its default "
          "type");
  }

 private:
  // The engine computes the shape of a value of known extents in advance.
  [[nodiscard]] bool is_reader(const Use& use) const {
    return draft_.is_pair(use.node, use.slot) && !(fixed_inputs_ && facts_.kind(use.node) == OpKind::ShapeOf);
  }

  [[nodiscard]] bool is_shared(MaybeValue value) const {
    if (!value) return false;
    const auto& uses = facts_.value(*value).uses;
    return std::ranges::count_if(uses, [&](const Use& use) { return is_reader(use); }) +
               (draft_.has_output_pair(*value) ? 1 : 0) >
           1;
  }

  // True also behind an Identity, which the engine removes, merging the two pairs around it.
  [[nodiscard]] bool is_read_twice(MaybeValue value) const {
    const Node* copy = facts_.producer(value);
    return is_shared(value) ||
           (copy && copy->op_type == "Identity" && draft_.is_pair(copy->id, 0) && is_read_twice(copy->input(0)));
  }

  // The form in which the engine computes a MatMul and the constant of the Add behind it: as one Gemm, between Reshapes
  // when the data has more than two axes, which needs their extents.
  enum class Fusion : uint8_t { None, Gemm, ReshapedGemm };
  [[nodiscard]] Fusion fusion_of(const Node& product, const Use& bias) {
    const Tensor* constant = facts_.graph().constant(facts_.node(bias.node).input(bias.slot));
    if (!constant) return Fusion::None;
    const Shape& added = constant->shape();
    const auto data = shapes_.of(facts_.data_input(product.id));
    const size_t rank = data ? data->size() : 0;
    const int64_t columns = facts_.weight(product.id).shape()[1];
    if (added.rank() == 1 && added[0] == columns && rank > 2)
      return fixed_inputs_ ? Fusion::ReshapedGemm : Fusion::None;
    const bool row = added.rank() == 1 || (added.rank() == 2 && added[0] == 1);
    const bool whole = added.rank() == 2 && rank == 2 && added[0] == (*data)[0];
    const bool fits =
        rank <= 2 && ((row && added[added.rank() - 1] == columns) || (whole && (added[1] == 1 || added[1] == columns)));
    return fits ? Fusion::Gemm : Fusion::None;
  }

  // Returns the value whose pair the layer reads: before the Pad if the Conv includes it.
  [[nodiscard]] MaybeValue read_pair(const Node& layer) const {
    const MaybeValue data = facts_.data_input(layer.id);
    if (draft_.has_pair(data)) return data;
    const Node* pad = facts_.producer(data);
    return pad ? facts_.data_input(pad->id) : data;
  }

  [[nodiscard]] std::string obstacle_of(const Node& layer) {
    const std::optional<Use> bias = draft_.added_bias(layer.id);
    const Fusion fusion = bias ? fusion_of(layer, *bias) : Fusion::None;
    if (fusion == Fusion::ReshapedGemm)
      return "";  // a pair behind a Reshape is copied for the kernel, and becomes UINT8
    const bool gemm = facts_.kind(layer.id) == OpKind::Gemm || fusion == Fusion::Gemm;
    const bool shared = is_read_twice(read_pair(layer));
    if (shared && !gemm) return "the INT8 pair of its input has several readers";
    const MaybeValue own = fusion == Fusion::None ? layer.output(0) : facts_.node(bias->node).output(0);
    if (draft_.has_pair(own)) {
      if (gemm && shared != is_shared(own)) return "one of the INT8 pairs on its input and output has several readers";
      return !gemm && is_shared(own) ? "the INT8 pair behind it has several readers" : "";
    }
    const auto use = sole_use(facts_.graph(), own);
    const bool cut = use && (facts_.kind(use->node) == OpKind::Relu || facts_.kind(use->node) == OpKind::Clip);
    if (cut && draft_.has_pair(facts_.node(use->node).output(0)))
      return "the INT8 pair behind " + facts_.describe(use->node) +
             " represents numbers below its bound, so it is not absorbed";
    return "";
  }

  const GraphFacts& facts_;
  PlacementDraft& draft_;
  CertainShapes shapes_;
  bool fixed_inputs_;
};

void call_float(const GraphFacts& facts, PlacementDraft& draft) {
  if (draft.options().int8_activations) Int8Pairs(facts, draft).run();
}

}  // namespace

constinit const Rule kInt8Activations{.name = {"O10", "INT8 activations"}, .share = call_float};

}  // namespace detent::rules::onnxruntime
