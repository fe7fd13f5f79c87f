// A layer for which TensorRT has no INT8 kernel stays float.
//
//   wrong:   x --> Q/DQ --> depthwise Conv --> LayerNormalization        right:   x --> depthwise Conv --> Layer...
//            w (int8) --> DQ ----^                                                w ----^
//
// * Decides: a layer stays float, with its weight, where the engine would run it in float in spite of its pairs, or not
//   build it. The table in src/place/engines/tensorrt/kernels.cpp says which: grouped and depthwise ConvTranspose;
//   depthwise 3-D Conv; Convs with groups of odd sizes; other 3-D layers, depthwise Convs and Convs with small groups
//   where their activation has no place in the kernel, or where a reader takes floats. Beside a depthwise Conv that
//   stays float a 1x1 Conv stays float too: the one in front, the one behind, and those of squeeze-and-excite between.
//   With `--type fp8` the table holds, an assumption, and 1x1 Convs are FP8. A Resize to the size that comes takes no
//   pair. Two Convs that read one image made of tokens run in float. More layers gain less from INT8 than their
//   quantizers cost: a Conv of patches from at most 4 channels, and some projections of attention
//   (attention_projections.h).
// * Why: the quantizer in front of such a layer, and the dequantization of its weights, cost time for nothing. With
//   pairs in front of its 18 depthwise Convs ConvNeXt-T took 1.74 times as long as in FP16, without them .98. A 1x1
//   Conv moves more than it computes: in MobileNetV3-L those beside float depthwise Convs made INT8 slower than FP16
//   (1.45 ms for 1.26, and 1.25 without). A Resize that changes nothing does not build between pairs.
//   On an H200 ViT-B takes 5.86 ms in FP16, 4.86 in INT8 and 4.66 with its patches in float. Swin-T takes 3.64 ms in
//   FP16, 3.95 in INT8, 3.69 with the projections of its windows in float, and 3.52 with patches and mergers of patches
//   in float, too.
// * Change it: `--include`, for a version or GPU that has the kernel.
// * Source: TensorRT 10.6 on an H100 (SM90), 480 probes built and inspected in November 2026 (tests/engines/tensorrt);
//   for other versions and GPUs an assumption.
//   In SegFormer (H200) six Convs that read images of tokens in twos ran in float, the one by itself in INT8.
// * Networks: exports/convnext_mini, exports/mobilenetv3_small, models/occupancy3d.

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "ops/traits.h"
#include "place/draft/flow.h"
#include "place/engines/tensorrt/attention_projections.h"
#include "place/engines/tensorrt/kernels.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

bool is_pointwise(const GraphFacts& facts, NodeId layer) {
  if (facts.kind(layer) != OpKind::Conv || facts.node(layer).int_or("group", 1) != 1) return false;
  const Shape& weight = facts.weight(layer).shape();
  return weight.element_count(2, weight.rank()) == 1;
}

// Returns the layers that write what `layer` reads, through activations, the product of a squeeze-and-excite block and
// its pooling.
std::vector<const Node*> layers_in_front(const PlacementDraft& draft, NodeId layer) {
  const GraphFacts& facts = draft.facts();
  constexpr size_t kMostNodes = 16;  // between the layers of a block
  std::vector<const Node*> open{facts.producer(facts.data_input(layer))}, found;
  for (size_t next = 0; next < open.size() && next < kMostNodes; ++next) {
    const Node* node = open[next];
    if (!node) continue;
    if (facts.is_weighted(node->id)) {
      found.push_back(node);
      continue;
    }
    const OpKind kind = facts.kind(node->id);
    if (const auto gated = gated_activation(facts, node->id))
      open.push_back(facts.producer(gated->input));
    else if (kind == OpKind::Mul || kind == OpKind::GlobalAveragePool || kind == OpKind::ReduceMean ||
             is_activation(kind) || is_fused_pointwise(facts, draft, node->id))
      for (const int slot : facts.data_slots(node->id)) open.push_back(facts.producer(node->input(slot)));
  }
  return found;
}

// True when depthwise Convs that stay float are all that reads the layer and its activation.
bool feeds_float_depthwise(const PlacementDraft& draft, NodeId layer) {
  const GraphFacts& facts = draft.facts();
  const Value& last = facts.value(*fused_output(facts, draft, layer));
  return !last.is_output && !last.uses.empty() && std::ranges::all_of(last.uses, [&](const Use& use) {
    return use.slot == 0 && is_float_depthwise(draft, use.node);
  });
}

// True when a depthwise Conv that stays float stands in front of the layer, or in front of a layer of
// squeeze-and-excite that stays float for its sake.
bool stands_behind_float_depthwise(const PlacementDraft& draft, NodeId layer) {
  const GraphFacts& facts = draft.facts();
  const auto is_float = [&](const Node* front) { return is_float_depthwise(draft, front->id); };
  const auto excites = [&](const Node* front) {
    const Node* pool = facts.producer(facts.data_input(front->id));
    const bool pooled =
        pool && (facts.kind(pool->id) == OpKind::GlobalAveragePool || facts.kind(pool->id) == OpKind::ReduceMean);
    return pooled && draft.is_out(front->id) && is_pointwise(facts, front->id) &&
           std::ranges::any_of(layers_in_front(draft, front->id), is_float);
  };
  return std::ranges::any_of(layers_in_front(draft, layer),
                             [&](const Node* front) { return is_float(front) || excites(front); });
}

// True for a Conv whose windows stand side by side on an image.
bool cuts_patches(const GraphFacts& facts, NodeId layer) {
  constexpr int64_t kMostChannels = 4, kLeastPatch = 4;
  const Node& node = facts.node(layer);
  if (facts.kind(layer) != OpKind::Conv || node.int_or("group", 1) != 1) return false;
  const Shape& weight = facts.weight(layer).shape();
  if (weight.rank() != 4 || weight[1] > kMostChannels || weight[2] < kLeastPatch) return false;
  const std::vector<int64_t> strides = node.ints_or("strides", {1, 1});
  return strides.size() == 2 && strides[0] == weight[2] && strides[1] == weight[3];
}

// True for a Conv that shares what it reads with another one, where a Reshape makes an image of the sum of two tokens.
bool shares_image_of_tokens(const PlacementDraft& draft, NodeId layer) {
  const GraphFacts& facts = draft.facts();
  if (facts.kind(layer) != OpKind::Conv) return false;
  const MaybeValue image = facts.data_input(layer);
  const Node* node = facts.producer(image);
  if (!node || facts.kind(node->id) != OpKind::Reshape) return false;
  while (node && commutes(facts, draft, node->id)) node = facts.producer(node->input(0));
  return node && facts.kind(node->id) == OpKind::Add && facts.data_slots(node->id).size() == 2 &&
         std::ranges::any_of(facts.value(*image).uses, [&](const Use& use) {
           return use.node != layer && use.slot == 0 && facts.kind(use.node) == OpKind::Conv &&
                  facts.is_weighted(use.node);
         });
}

std::string obstacle_of(const PlacementDraft& draft, NodeId layer) {
  if (std::string obstacle = tensorrt_kernel_obstacle(draft, layer, draft.codes()); !obstacle.empty()) return obstacle;
  const bool int8 = draft.options().type == CodeType::Int8;  // the cost was measured with INT8
  if (int8 && is_pointwise(draft.facts(), layer) &&
      (feeds_float_depthwise(draft, layer) || stands_behind_float_depthwise(draft, layer)))
    return "a 1x1 Conv beside a depthwise Conv that stays float: its quantizers cost more than INT8 gains (TensorRT "
           "10.6 on SM90)";
  if (int8 && shares_image_of_tokens(draft, layer))
    return "two Convs read one image made of tokens: the engine dequantizes it and both run in float (TensorRT 10.6 on "
           "SM90)";
  if (int8 && cuts_patches(draft.facts(), layer))
    return "a Conv that cuts an image into patches: its quantizers cost more than INT8 gains (TensorRT 10.6 on SM90)";
  return "";
}

// True where the sizes of the samples, or constant factors of 1, show that the node is an Identity.
bool changes_no_size(const GraphFacts& facts, const Node& resize) {
  constexpr int kFactors = 2;
  if (const Tensor* factors = facts.graph().constant(resize.input(kFactors));
      factors && factors->element_count() > 0 && factors->type() == DataType::Float32)
    return std::ranges::all_of(factors->data<float>(), [](float factor) { return factor == 1; });
  const Shape *before = facts.find_shape(resize.input(0)), *after = facts.find_shape(resize.output(0));
  return before && after && *before == *after;
}

void mark_empty_resizes(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) == OpKind::Resize && !draft.is_forced(node.id) && changes_no_size(facts, node))
      draft.keep_out(node.id, "TensorRT does not build a Resize that changes nothing between pairs");
  }
}

void find_float_kernels(const PlacementDraft& draft, LayersKeptOut& kept) {
  if (draft.options().type == CodeType::Int8)
    for (const auto& [layer, why] : detent::tensorrt::costly_projections(draft))
      if (draft.is_int8(layer) && !draft.is_forced(layer))
        kept.emplace(layer,
                     fmt::format("a projection of {}: its quantizers cost more than INT8 gains (TensorRT 10.6 on "
                                 "SM90)",
                                 why));
  for (const Node& node : draft.facts().graph().nodes()) {
    if (!draft.facts().is_weighted(node.id) || !draft.is_int8(node.id) || draft.is_forced(node.id)) continue;
    if (std::string obstacle = obstacle_of(draft, node.id); !obstacle.empty())
      kept.emplace(node.id, std::move(obstacle));
  }
}

}  // namespace

constinit const Rule kFloatKernels{.name = {"R21", "kernel"}, .mark = mark_empty_resizes, .review = find_float_kernels};

}  // namespace detent::rules::tensorrt
