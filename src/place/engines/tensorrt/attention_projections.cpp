#include "place/engines/tensorrt/attention_projections.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "place/draft/attention_fit.h"
#include "place/draft/certain_shapes.h"
#include "place/draft/flow.h"

namespace detent::tensorrt {
namespace {

// Adds the layers that write `value`, through whatever is no layer.
void add_layers_in_front(const GraphFacts& facts, MaybeValue value, std::set<NodeId>& layers) {
  constexpr size_t kMostNodes = 24;  // biases, scales, splits, copies and a norm written out
  std::vector<const Node*> open{facts.producer(value)};
  for (size_t next = 0; next < open.size() && next < kMostNodes; ++next) {
    if (!open[next]) continue;
    if (facts.is_weighted(open[next]->id)) {
      layers.insert(open[next]->id);
      continue;
    }
    for (const int slot : facts.data_slots(open[next]->id)) {
      const Node* producer = facts.producer(open[next]->input(slot));
      if (std::ranges::find(open, producer) == open.end()) open.push_back(producer);
    }
  }
}

// Adds the layers that read `value` through copies.
void add_layers_behind(const PlacementDraft& draft, ValueId value, std::set<NodeId>& layers) {
  std::vector<ValueId> open{value};
  for (size_t next = 0; next < open.size(); ++next)
    for (const Use& use : draft.facts().value(open[next]).uses) {
      if (use.slot == 0 && draft.facts().is_weighted(use.node)) layers.insert(use.node);
      std::ranges::copy(values_behind(draft.facts(), draft, use), std::back_inserter(open));
    }
}

// True where the queries have a larger first axis than the first input: a sample is several windows.
bool has_windows(const GraphFacts& facts, CertainShapes& certain, const AttentionBlock& block) {
  const Graph& graph = facts.graph();
  const auto extents_of = [&](ValueId value) {
    if (const Shape* shape = facts.find_shape(value))
      return std::vector<int64_t>(shape->dims().begin(), shape->dims().end());
    return certain.of(value).value_or(std::vector<int64_t>());
  };
  if (graph.inputs().empty()) return false;
  const std::vector<int64_t> input = extents_of(graph.inputs().front()), queries = extents_of(block.query);
  constexpr size_t kAxes = 4;  // windows, heads, tokens, head size; with 3 heads are in the first one
  return !input.empty() && input[0] > 0 && queries.size() == kAxes && queries[0] > input[0];
}

// True where a Conv makes fewer keys of the tokens that the queries come from.
bool has_shrunk_keys(const GraphFacts& facts, const AttentionBlock& block) {
  if (block.sizes.keys == 0 || block.sizes.keys >= block.sizes.queries) return false;
  std::set<NodeId> projections, makers;
  add_layers_in_front(facts, block.key, projections);
  for (const NodeId layer : projections) add_layers_in_front(facts, facts.data_input(layer), makers);
  return std::ranges::any_of(makers, [&](NodeId maker) { return facts.kind(maker) == OpKind::Conv; });
}

}  // namespace

std::map<NodeId, std::string_view> costly_projections(const PlacementDraft& draft) {
  constexpr int64_t kFewestTokens = 64;
  std::map<NodeId, std::string_view> found;
  CertainShapes certain(draft.facts());
  for (const AttentionBlock& block : attention_blocks(draft.facts())) {
    const int64_t tokens = std::max(block.sizes.queries, block.sizes.keys);
    std::string_view why;
    if (tokens > 0 && tokens < kFewestTokens && has_windows(draft.facts(), certain, block))
      why = "attention over windows of fewer than 64 tokens";
    else if (has_shrunk_keys(draft.facts(), block))
      why = "attention whose keys a Conv shrinks";
    else
      continue;
    std::set<NodeId> layers;
    for (const ValueId operand : {block.query, block.key, block.value})
      add_layers_in_front(draft.facts(), operand, layers);
    add_layers_behind(draft, block.output, layers);
    for (const NodeId layer : layers) found.emplace(layer, why);
  }
  return found;
}

}  // namespace detent::tensorrt
