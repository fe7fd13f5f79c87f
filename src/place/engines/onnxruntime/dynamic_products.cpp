// Products find the scale of their data at run time: those that 8 bits in advance would ruin, or all.
//
//   before:   x --> MatMul(w) --> Add(b) --> y
//   after:    x --> DynamicQuantizeLinear --> MatMulInteger(codes of w) --> Cast --> Mul --> Add(b) --> y
//                             +-- scale --> Mul(scales of w) ------------------------^
//
// Several products that read one value share its DynamicQuantizeLinear. The engine makes DynamicQuantizeMatMul of a
// product that reads a value alone, and MatMulIntegerToFloat of each where they share it. A bias of one number a column
// goes into the kernel. In that order of factors: a Mul of the weight's scales by the data's hinders the first fusion.
//
// * Decides: a MatMul or Gemm of FP32 data with a constant matrix on the right reads floats, whose smallest and largest
//   number in this run give scale and zero point of their UINT8 codes. By default these are the products that R15 would
//   keep float for their data (not with `--policy residual=float`), and where there are such, all other products but
//   those in front of a Relu or Clip; R13 and bounds judge them like any quantized layer. Products of
//   one row have them, too, where all layers of the graph are such (a policy, a step of a decoder). `quantize` evens
//   out channels of their data by a Mul in front where outputs gain 1 dB. With `--activation dynamic` all are. With
//   data or a table, a Conv and other layers that have no such form get scales in advance by the other rules, and so do
//   the nodes between them. Without, all else stays float; so do, always,
//
//   - products of two activations, attention included, and
//   - all other nodes where every layer is a product.
//
//   A Gemm with transA, or alpha or beta other than 1, and a product with the constant on the left or with more axes
//   than two have no such form: MatMulInteger has none of that. Around ConvInteger the engine fuses nothing.
//
//   With data, a product has a pair with a scale in advance instead where that keeps more of its data: by 1 dB or more,
//   measured with `--calibrator` or `mse`, unless the outputs of all such products together are worse for it.
//   `--include` gives it the pair without that question. In front of a Relu or Clip it never has one, because the
//   engine would want another pair behind.
// * Why: values of language models differ from text to text, and no scale in advance fits all; with few tokens the
//   weights are what takes time. Behind a pair without one behind the layer, a bias is a DequantizeLinear and an Add;
//   with one row these two take a fifth of the layer's time.
//   [Figures](../decisions/place.md#run-time-scales-instead-of-floats). The whole batch has one range: a sample's
//   result depends on what runs beside it.
// * Change it: `--exclude` keeps a product float, `--include` gives it (or another node) pairs; `--activation uint8`,
//   has all scales in advance; `--policy residual=float` keeps R15's products float.
// * Source: tried with optimizedModelFilePath in ONNX Runtime 1.24 and 1.30, opset 11 to 23; levels extended and all
//   fuse, basic does not.
// * Networks: models/chars_gpt, exports/bert_mini.

#include <algorithm>

#include "ops/traits.h"
#include "place/draft/certain_shapes.h"
#include "place/engines/onnxruntime/rules.h"

namespace detent::rules::onnxruntime {
namespace {

constexpr const char* kAtRunTime = "scale and codes of its data are found at run time: DynamicQuantizeLinear";
constexpr const char* kBesideRuined =
    "scale and codes of its data are found at run time, as those of products whose data 8 bits would ruin: the bias is "
    "then a part of the kernel";

// Returns why MatMulInteger cannot take the place of a weighted op; empty where it can.
std::string obstacle_of(const GraphFacts& facts, const Node& node) {
  const OpKind kind = facts.kind(node.id);
  if (kind == OpKind::Conv) return "ONNX Runtime fuses nothing around a ConvInteger";
  if (kind != OpKind::Gemm && kind != OpKind::MatMul) return node.op_type + " has no form with scales at run time";
  if (facts.weight_slot(node.id) == 0)
    return "the constant stands on the left, and MatMulInteger has scales for columns";
  if (facts.weight(node.id).shape().rank() != 2) return "its weight is no matrix";
  if (facts.weight(node.id).type() != DataType::Float32) return "DynamicQuantizeLinear reads FP32 alone";
  if (node.int_or("transA", 0) != 0 || node.float_or("alpha", 1.0F) != 1.0F || node.float_or("beta", 1.0F) != 1.0F)
    return "MatMulInteger has no transA, alpha and beta";
  return "";
}

bool reads_cut(const GraphFacts& facts, ValueId value) {
  return std::ranges::any_of(facts.value(value).uses, [&](const Use& use) {
    return use.slot == 0 && (facts.kind(use.node) == OpKind::Relu || facts.kind(use.node) == OpKind::Clip);
  });
}

// True where the engine makes an integer kernel of the product between pairs only if one stands behind it, too (O1): in
// front of a Relu or Clip, also behind a bias. The readers behind read floats here.
bool needs_pair_behind(const GraphFacts& facts, const Node& node) {
  const ValueId own = *node.output(0);
  const auto& uses = facts.value(own).uses;
  return reads_cut(facts, own) || std::ranges::any_of(uses, [&](const Use& use) {
           return use.slot >= 0 && facts.kind(use.node) == OpKind::Add &&
                  reads_cut(facts, *facts.node(use.node).output(0));
         });
}

// True for data behind the Relu or Clip of such a product: they have a pair.
bool reads_pair_behind(const GraphFacts& facts, const Node& node) {
  const Graph& graph = facts.graph();
  const Node* const cut = node.input(0) ? graph.producer(*node.input(0)) : nullptr;
  if (!cut || (facts.kind(cut->id) != OpKind::Relu && facts.kind(cut->id) != OpKind::Clip) || !cut->input(0))
    return false;
  const Node* const maker = graph.producer(*cut->input(0));
  if (!maker) return false;
  if (facts.is_weighted(maker->id)) return true;
  return facts.kind(maker->id) == OpKind::Add && std::ranges::any_of(present(maker->inputs), [&](ValueId input) {
           const Node* const product = graph.producer(input);
           return product && facts.is_weighted(product->id);
         });
}

constexpr const char* kOneRow =
    "scale and codes of its data are found at run time: of one row that takes less time than a pair and a bias behind "
    "the product";

// True for one row of numbers, by the graph and, where that leaves a size open, by the samples.
bool is_one_row(const CertainShapes::Extents& sizes, const Shape* of_samples) {
  if (sizes.empty() || (of_samples && of_samples->rank() != sizes.size())) return false;
  for (size_t axis = 0; axis + 1 < sizes.size(); ++axis)
    if (sizes[axis] != 1 && (sizes[axis] >= 0 || !of_samples || (*of_samples)[axis] != 1)) return false;
  return true;
}

// True where all layers are products of one row each that may have run-time scales.
bool all_products_of_one_row(const GraphFacts& facts) {
  CertainShapes shapes(facts);
  bool found = false;
  for (const Node& node : facts.graph().nodes()) {
    if (!facts.is_weighted(node.id)) continue;
    if (!obstacle_of(facts, node).empty() || needs_pair_behind(facts, node)) return false;
    const auto rows = shapes.of(node.input(0));
    if (!rows || !is_one_row(*rows, facts.find_shape(node.input(0)))) return false;
    found = true;
  }
  return found;
}

// True for a node that other rules decide about: it is to have pairs.
bool has_pairs(const GraphFacts& facts, const PlacementDraft& draft, const Node& node) {
  const bool wanted = draft.is_forced(node.id) || draft.measured().fixed.contains(node.name);
  const OpKind kind = facts.kind(node.id);
  return wanted && !((kind == OpKind::MatMul || kind == OpKind::Gemm) && needs_pair_behind(facts, node));
}

// True where layers without a form at run time get scales in advance.
bool has_other_layers(const GraphFacts& facts, const PlacementDraft& draft) {
  return draft.options().ranges_known && std::ranges::any_of(facts.graph().nodes(), [&](const Node& node) {
           return facts.is_weighted(node.id) && !obstacle_of(facts, node).empty();
         });
}

void mark_dynamic(const GraphFacts& facts, PlacementDraft& draft) {
  if (!draft.options().dynamic_products) return;
  const bool others = has_other_layers(facts, draft);
  for (const Node& node : facts.graph().nodes()) {
    if (is_recurrent(node) || has_pairs(facts, draft, node)) continue;  // O14
    const bool weighted = facts.is_weighted(node.id);
    const std::string obstacle =
        weighted ? obstacle_of(facts, node) : "--activation dynamic quantizes products with weights alone";
    if (obstacle.empty())
      draft.run_dynamic(node.id, kAtRunTime);
    else if (!others || (facts.kind(node.id) == OpKind::MatMul && !weighted))
      draft.keep_out(node.id, obstacle);
  }
}

// Gives the other products that write floats run-time scales too.
void mark_beside_ruined(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes())
    if (facts.is_weighted(node.id) && !is_recurrent(node) && !draft.is_forced(node.id) && !draft.is_out(node.id) &&
        !draft.measured().ruined.contains(node.name) && obstacle_of(facts, node).empty() &&
        !needs_pair_behind(facts, node) && !reads_pair_behind(facts, node))
      draft.run_dynamic(node.id, kBesideRuined);
}

void mark_one_row(const GraphFacts& facts, PlacementDraft& draft) {
  const PlacementRequest& options = draft.options();
  if (options.dynamic_products || !options.ruined_products_dynamic || !all_products_of_one_row(facts)) return;
  for (const Node& node : facts.graph().nodes())
    if (facts.is_weighted(node.id) && !draft.is_forced(node.id) && !draft.is_out(node.id))
      draft.run_dynamic(node.id, kOneRow);
}

// Gives products run-time scales that R15 would keep float. Adds of the stream stay float.
void mark_ruined(const GraphFacts& facts, PlacementDraft& draft) {
  const PlacementRequest& options = draft.options();
  if (!options.ruined_products_dynamic || options.residual == PlacementOptions::Residual::Float) return;
  bool found = false;
  for (const auto& [name, reason] : draft.measured().ruined) {
    const MaybeNode id = facts.graph().find_node(name);
    if (!id || !facts.is_weighted(*id) || draft.is_forced(*id) || !obstacle_of(facts, facts.node(*id)).empty())
      continue;
    found |= !draft.is_out(*id);
    draft.run_dynamic(*id,
                      "scale and codes of its data are found at run time, because no scale in advance fits: " + reason);
  }
  if (found) mark_beside_ruined(facts, draft);
}

// Says why a product has a scale in advance.
void explain_fixed(const GraphFacts& facts, PlacementDraft& draft) {
  if (!draft.options().dynamic_products) return;
  for (const auto& [name, reason] : draft.measured().fixed)
    if (const MaybeNode node = facts.graph().find_node(name); node && draft.is_int8(*node))
      draft.explain_layer(*node, reason);
}

}  // namespace

constinit const Rule kRuinedProducts{.name = {"O13", "dynamic product"}, .mark = mark_ruined};
constinit const Rule kOneRowProducts{.name = {"O13", "dynamic product"}, .mark = mark_one_row};
constinit const Rule kDynamicProducts{.name = {"O13", "dynamic product"}, .mark = mark_dynamic, .share = explain_fixed};

}  // namespace detent::rules::onnxruntime
