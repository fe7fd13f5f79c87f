// Pairs stand behind the activation of a ConvTranspose, or on both sides.
//
//   fuse:    Q --> DQ --> ConvTranspose --> Relu --> Q --> DQ       (also if the Relu has no quantized reader)
//   split:   Q --> DQ --> ConvTranspose --> Q --> DQ --> LeakyRelu --> Q --> DQ
//
// * Decides: `fuse` puts a pair behind the activation of a ConvTranspose only, `split` on both sides of it. A 3-D
//   ConvTranspose or Conv always gets a pair behind it, even if no INT8 layer reads it.
// * Why: in 3-D TensorRT runs a layer in INT8 only between two pairs. In 2-D one user saw the fusion with an
//   activation give wrong output, which `split` cured.
// * Change it: `--policy deconv-activation=auto|fuse|split`. `auto` is `fuse` for Relu and `split` for other
//   activations (ours).
// * Source: [TensorRT 3412](https://github.com/NVIDIA/TensorRT/issues/3412) (3-D, closing pair),
//   [4366](https://github.com/NVIDIA/TensorRT/issues/4366) (`split`),
//   [2134](https://github.com/NVIDIA/TensorRT/issues/2134) (a LeakyRelu needs the pair behind it).
// * Networks: models/occupancy3d (3-D, Relu), models/shapes_unet (LeakyRelu).

#include <fmt/core.h>

#include <algorithm>

#include "ops/traits.h"
#include "place/draft/flow.h"
#include "place/engines/tensorrt/rules.h"

namespace detent::rules::tensorrt {
namespace {

using DeconvolutionActivationPolicy = PlacementOptions::DeconvActivation;

bool splits(const PlacementDraft& draft, NodeId activation) {
  switch (draft.options().deconv_activation) {
    case DeconvolutionActivationPolicy::Fuse: return false;
    case DeconvolutionActivationPolicy::Split: return true;
    case DeconvolutionActivationPolicy::ByActivation: break;
  }
  return draft.facts().kind(activation) != OpKind::Relu;
}

void replace_readers(PlacementDraft& draft, ValueId value, const std::string& reason) {
  for (const Use& use : draft.facts().value(value).uses)
    if (use.slot >= 0 && !draft.is_out(use.node) && !draft.facts().is_foreign(use.node) &&
        !draft.is_pair(use.node, use.slot))
      draft.replace_with_pair(use.node, use.slot, reason);
}

// Decides pairs inside, before the rule of fused activations decides the edge.
void decide_deconvolution_activation(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    if (facts.kind(node.id) != OpKind::ConvTranspose || !draft.is_int8(node.id)) continue;
    const MaybeNode activation = fused_activation(facts, draft, node.output(0));
    if (!activation) continue;
    const std::string what = facts.describe(node.id) + " and " + facts.describe(*activation);
    if (splits(draft, *activation)) {
      replace_readers(draft, *node.output(0),
                      what + " are kept apart (--policy deconv-activation=split; `fuse` runs them as one)");
    } else {
      draft.keep_float(*activation, 0,
                       what + " run as one kernel (--policy deconv-activation=fuse; `split` keeps them apart)");
    }
  }
}

// Puts a pair behind a 3-D layer. A reader that another rule keeps float closes the kernel too: it computes in float on
// the pair's output. A reader that the user excludes reads floats, and a graph output carries no pair.
void close_volume(const GraphFacts& facts, PlacementDraft& draft, const Node& node, ValueId last,
                  const std::string& reason) {
  for (const Use& use : facts.value(last).uses)
    if (use.slot >= 0 && !draft.is_excluded(use.node) && !facts.is_foreign(use.node) &&
        !draft.is_pair(use.node, use.slot))
      draft.replace_with_pair(use.node, use.slot, reason);
  if (!draft.has_pair(last))
    draft.note(fmt::format(
        "{} is {} in 3-D only between two pairs, and none can stand behind it: '{}' is a graph output, or excluded "
        "nodes read it",
        facts.describe(node.id), draft.codes(), facts.value(last).name));
}

// True for a layer in front of a residual Add, or of an activation that it does not include: a pair would part the two.
bool stands_before_its_kernel_ends(const GraphFacts& facts, const PlacementDraft& draft, NodeId layer) {
  const ValueId last = *fused_output(facts, draft, layer);
  return std::ranges::any_of(facts.value(last).uses, [&](const Use& use) {
    const OpKind kind = facts.kind(use.node);
    return is_activation(kind) || is_fused_pointwise(facts, draft, use.node) ||
           (kind == OpKind::Add && facts.data_slots(use.node).size() == 2);
  });
}

// Puts pairs behind, after every rule that may put one there.
void close(const GraphFacts& facts, PlacementDraft& draft) {
  for (const Node& node : facts.graph().nodes()) {
    const OpKind kind = facts.kind(node.id);
    if ((kind != OpKind::ConvTranspose && kind != OpKind::Conv) || !draft.is_int8(node.id)) continue;
    const bool volume = facts.weight(node.id).shape().rank() == 5;
    if (kind == OpKind::Conv && (!volume || stands_before_its_kernel_ends(facts, draft, node.id))) continue;
    const MaybeNode activation = fused_activation(facts, draft, node.output(0));
    // In 2-D only an activation that does not fuse without it needs the pair behind it.
    if (!volume && (!activation || facts.kind(*activation) == OpKind::Relu)) continue;
    const ValueId last = *fused_output(facts, draft, node.id);
    const bool paired = draft.has_pair(last);
    if (paired && !volume) continue;
    // TensorRT pulls the Q of a commuting op's reader up to here; the Q of a Concat is cloned, and was reported not to
    // fuse.
    bool reached = false;
    for (const ValueId value : commuting_neighbours(facts, draft, last)) reached = reached || draft.has_pair(value);
    if (reached && !paired) continue;
    const std::string closing = "closing pair behind " + facts.describe(node.id);
    if (volume)
      close_volume(facts, draft, node, last,
                   fmt::format("{}: in 3-D it is {} only between two pairs", closing, draft.codes()));
    else
      replace_readers(draft, last, closing + ": its activation fuses only with a pair behind it");
  }
}

}  // namespace

constinit const Rule kDeconvolutionActivation{
    .name = {"R6", "deconvolution and activation"}, .decide = decide_deconvolution_activation, .share = close};

}  // namespace detent::rules::tensorrt
