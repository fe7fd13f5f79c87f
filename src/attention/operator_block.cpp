#include "attention/operator_block.h"

#include <algorithm>

namespace detent {
namespace {

constexpr size_t kScoresOutput = 3;

std::string obstacle_of(const Graph& graph, const Node& node) {
  if (input_of(node, AttentionInput::PastKey) || input_of(node, AttentionInput::Lengths))
    return "it reads a cache of keys and values";
  for (const size_t slot : {1U, 2U}) {
    const MaybeValue output = node.output(slot);
    if (output && (graph.value(*output).is_output || !graph.value(*output).uses.empty()))
      return "it writes a cache of keys and values";
  }
  if (node.output(kScoresOutput)) return "its scores are an output";
  if (node.float_or("softcap", 0) != 0) return "a soft cap bounds its scores";
  if (node.int_or("left_window_size", -1) >= 0 || node.int_or("right_window_size", -1) >= 0)
    return "its queries see a window of the keys";
  return {};
}

int64_t positive(int64_t extent) { return std::max<int64_t>(extent, 0); }

}  // namespace

bool is_attention_operator(const Node& node) { return node.op_type == "Attention" && node.domain.empty(); }

AttentionBlock operator_block(const Graph& graph, const Node& node, const ExtentsOf& extents_of) {
  AttentionBlock block{.first = node.id, .softmax = node.id, .second = node.id};
  block.query = *input_of(node, AttentionInput::Query);
  block.key = *input_of(node, AttentionInput::Key);
  block.value = *input_of(node, AttentionInput::Value);
  block.output = *node.output(0);
  if (const MaybeValue mask = input_of(node, AttentionInput::Mask)) block.masks.push_back(*mask);
  block.obstacle = obstacle_of(graph, node);
  const int64_t heads = node.int_or("q_num_heads", 0), key_heads = node.int_or("kv_num_heads", 0);
  const auto query = extents_of(block.query), key = extents_of(block.key);
  if (query && query->size() == 4) {
    block.sizes = {positive((*query)[1]), positive((*query)[3]), positive((*query)[2]), 0};
    block.grouped = key && key->size() == 4 && (*key)[1] > 0 && (*key)[1] != (*query)[1];
    if (key && key->size() == 4) block.sizes.keys = positive((*key)[2]);
  } else {
    block.sizes.heads = heads;
    block.grouped = heads != key_heads;
    if (query && query->size() == 3 && heads > 0) {
      block.sizes.head_size = positive((*query)[2]) / heads;
      block.sizes.queries = positive((*query)[1]);
    }
    if (key && key->size() == 3) block.sizes.keys = positive((*key)[1]);
  }
  return block;
}

}  // namespace detent
