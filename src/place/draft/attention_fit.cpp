#include "place/draft/attention_fit.h"

#include <algorithm>

#include "place/draft/certain_shapes.h"
#include "place/draft/flow.h"

namespace detent {
namespace {

std::string size_text(const AttentionKernel& kernel) {
  if (kernel.head_sizes.empty())
    return "multiples of " + std::to_string(kernel.head_step) + " from " + std::to_string(kernel.least_head) + " to " +
           std::to_string(kernel.most_head);
  std::string text;
  for (const int64_t size : kernel.head_sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
  return text;
}

bool takes_head(const AttentionKernel& kernel, int64_t size) {
  if (!kernel.head_sizes.empty()) return std::ranges::find(kernel.head_sizes, size) != kernel.head_sizes.end();
  return size >= kernel.least_head && size <= kernel.most_head && size % kernel.head_step == 0;
}

std::string wrong_size(const AttentionKernel& kernel, const AttentionSizes& sizes) {
  if (!takes_head(kernel, sizes.head_size))
    return (sizes.head_size == 0 ? "its head size is not known"
                                 : "its heads have " + std::to_string(sizes.head_size) + " numbers") +
           ", the fused kernel takes " + size_text(kernel);
  if (kernel.most_tokens == 0) return {};
  const int64_t tokens = std::max(sizes.queries, sizes.keys);
  const std::string limit = ", the fused kernel takes " + std::to_string(kernel.most_tokens) + " at most";
  if (tokens > kernel.most_tokens) return "it has " + std::to_string(tokens) + " tokens" + limit;
  if (sizes.queries == 0 || sizes.keys == 0) return "its number of tokens is open" + limit;
  return {};
}

/// Returns why pairs cannot stand inside the nodes as they are.
std::string unprepared(const GraphFacts& facts, const AttentionBlock& block) {
  if (block.is_operator()) return "operator Attention takes no pairs inside";
  for (const NodeId product : {block.first, block.second})
    if (facts.kind(product) != OpKind::MatMul) return facts.describe(product) + " is no MatMul";
  return block.has_written_softmax() ? "its Softmax consists of primitives" : "";
}

bool can_pair(const PlacementDraft& draft, const Use& use) {
  if (use.slot < 0 || draft.is_out(use.node)) return false;
  const auto& slots = draft.facts().data_slots(use.node);
  if (std::ranges::find(slots, use.slot) == slots.end()) return draft.facts().kind(use.node) == OpKind::ShapeOf;
  return draft.is_pair(use.node, use.slot) || !draft.is_decided(use.node, use.slot);
}

}  // namespace

std::vector<AttentionBlock> attention_blocks(const GraphFacts& facts) {
  CertainShapes certain(facts);
  return find_attention_blocks(facts.graph(), [&](ValueId value) -> std::optional<std::vector<int64_t>> {
    const Shape* shape = facts.find_shape(value);
    return shape ? std::optional(std::vector<int64_t>(shape->dims().begin(), shape->dims().end())) : certain.of(value);
  });
}

AttentionKernel::Type attention_type(const PlacementDraft& draft) {
  return draft.options().type == CodeType::Fp8 ? AttentionKernel::Type::Fp8 : AttentionKernel::Type::Int8;
}

std::string attention_misfit(const GraphFacts& facts, const AttentionBlock& block, AttentionKernel::Type type) {
  if (!block.obstacle.empty()) return block.obstacle;
  if (type != AttentionKernel::Type::Half && !block.windows.empty()) return block.windows;
  const AttentionKernel* kernel = facts.target().find_attention(type);
  if (!kernel) return facts.target().spec() + " has no such kernel";
  return wrong_size(*kernel, block.sizes);
}

std::string attention_kernel_text(const GraphFacts& facts, AttentionKernel::Type type) {
  const AttentionKernel& kernel = *facts.target().find_attention(type);
  const int capability = kernel.compute_capability;
  const std::string_view kind = type == AttentionKernel::Type::Half  ? "one kernel of 16-bit floats"
                                : type == AttentionKernel::Type::Fp8 ? "one FP8 kernel"
                                                                     : "one INT8 kernel";
  return std::string(kind) + ", from compute capability " + std::to_string(capability / 10) + "." +
         std::to_string(capability % 10) + " on" +
         (kernel.condition.empty() ? "" : ", " + std::string(kernel.condition));
}

std::string attention_without_pairs(const GraphFacts& facts, const PlacementDraft& draft, const AttentionBlock& block) {
  if (std::string text = unprepared(facts, block); !text.empty()) return text;
  for (const MaybeValue operand :
       std::initializer_list<MaybeValue>{block.query, block.key, block.probabilities, block.value})
    if (!facts.may_carry_pair(operand) || !facts.is_float(operand))
      return facts.describe_source(*operand) + " writes an operand that carries no pair";
  if (facts.value(block.output).is_output && !draft.options().quantize_outputs)
    return "its result is an output of the graph, which carries no pair (--policy quantize-outputs=on)";
  if (all_readers_quantized(facts, draft, block.output)) return {};
  for (const Use& use : facts.value(block.output).uses)
    if (!can_pair(draft, use))
      return (use.slot < 0 ? "a subgraph" : facts.describe(use.node)) + " reads its result in float";
  return {};
}

}  // namespace detent
