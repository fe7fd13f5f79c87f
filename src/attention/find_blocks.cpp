#include <algorithm>
#include <set>
#include <utility>

#include "attention/attention_block.h"
#include "attention/operands.h"
#include "attention/operator_block.h"
#include "attention/scores_path.h"
#include "attention/softmax_form.h"
#include "ops/traits.h"

namespace detent {
namespace {

std::string quoted(const Node& node) { return node.op_type + " '" + node.name + "'"; }

/// The way from a Softmax down to a product that reads its probabilities.
struct ProbabilitiesPath {
  MaybeNode product;
  ValueId read{};  ///< by the product
  std::vector<NodeId> nodes;
  std::string obstacle;
};

bool passes_probabilities(const Node& node, OpKind kind) {
  return kind == OpKind::Cast || node.op_type == "Identity" || node.op_type == "Dropout";
}

/// Returns the Where of Where(IsNaN(p), 0, p), which exporters of PyTorch put behind masks; kNoNode when there is none.
MaybeNode guard_against_nan(const Graph& graph, ValueId value, std::vector<NodeId>& nodes) {
  const auto& uses = graph.value(value).uses;
  for (const Use& use : uses) {
    const MaybeValue tested = graph.node(use.node).output(0);
    if (use.slot < 0 || !tested || graph.node(use.node).op_type != "IsNaN") continue;
    for (const Use& reader : graph.value(*tested).uses) {
      const Node& where = graph.node(reader.node);
      if (reader.slot != 0 || where.op_type != "Where" || where.input(2) != value) continue;
      nodes.insert(nodes.end(), {use.node, where.id});
      return where.id;
    }
  }
  return kNoNode;
}

ProbabilitiesPath path_of_probabilities(const Graph& graph, ValueId value) {
  constexpr int kLongest = 6;
  ProbabilitiesPath path;
  for (int step = 0; step < kLongest; ++step) {
    MaybeNode next;
    for (const Use& use : graph.value(value).uses) {
      if (use.slot < 0) continue;
      const Node& reader = graph.node(use.node);
      const OpKind kind = traits_of(graph, reader).kind;
      if (use.slot == 0 && multiplies_two_activations(graph, reader)) {
        path.product = reader.id;
        path.read = value;
        return path;
      }
      const bool changes = kind == OpKind::Mul || kind == OpKind::Div;
      if (!changes && !passes_probabilities(reader, kind)) continue;
      if (changes) path.obstacle = quoted(reader) + " changes the probabilities behind Softmax";
      path.nodes.push_back(reader.id);
      next = reader.id;
      break;
    }
    if (!next && (next = guard_against_nan(graph, value, path.nodes)))
      path.obstacle = quoted(graph.node(*next)) + " guards the probabilities against NaN";
    const MaybeValue written = next ? graph.node(*next).output(0) : kNoValue;
    if (!written) return {};
    value = *written;
  }
  return {};
}

/// Returns what also reads a value inside the block; empty when nothing does.
std::string other_reader(const Graph& graph, const AttentionBlock& block) {
  std::set<NodeId> inside{block.second};
  for (const auto* nodes : {&block.between, &block.softmax_nodes, &block.behind})
    inside.insert(nodes->begin(), nodes->end());
  const auto look = [&](NodeId id, const std::string& what) {
    for (const ValueId output : present(graph.node(id).outputs)) {
      const Value& value = graph.value(output);
      if (value.is_output) return what + " are an output of the graph";
      for (const Use& use : value.uses)
        if (use.slot < 0 || !inside.contains(use.node)) return quoted(graph.node(use.node)) + " also reads " + what;
    }
    return std::string();
  };
  for (const NodeId node : {block.first})
    if (std::string text = look(node, "the scores"); !text.empty()) return text;
  for (const NodeId node : block.between)
    if (std::string text = look(node, "the scores"); !text.empty()) return text;
  for (const auto* nodes : {&block.softmax_nodes, &block.behind})
    for (const NodeId node : *nodes)
      if (std::string text = look(node, "the probabilities"); !text.empty()) return text;
  return {};
}

/// Returns why the mask does not go with scores of these extents; empty when it does, or when one of them is not known.
std::string wrong_mask(const Graph& graph, const AttentionBlock& block, const ExtentsOf& extents_of) {
  const auto scores = extents_of(*graph.node(block.first).output(0));
  for (const ValueId mask : block.masks) {
    const auto extents = extents_of(mask);
    if (!extents) continue;
    const std::string name = "the mask '" + graph.value(mask).name + "'";
    const size_t most = block.windows.empty() ? 4 : 5;
    if (extents->size() > most) return name + " has more than " + std::to_string(most) + " axes";
    if (!scores) continue;
    const bool of_windows = !block.windows.empty() && extents->size() == most;  // the batch is two axes there
    if (extents->size() > scores->size() && !of_windows) return name + " has more axes than the scores";
    for (size_t back = 1; back <= std::min(extents->size(), of_windows ? size_t{3} : scores->size()); ++back) {
      const int64_t wide = (*extents)[extents->size() - back], own = (*scores)[scores->size() - back];
      if (wide > 1 && own == 1) return name + " is larger than the scores and repeats them";
    }
  }
  return {};
}

constexpr size_t kAxes = 4;  // of the operands of a fused kernel

std::string wrong_form(const Graph& graph, const AttentionBlock& block, const SoftmaxForm& softmax,
                       const ExtentsOf& extents_of) {
  for (const ValueId operand : {block.query, block.key, block.value}) {
    const auto extents = extents_of(operand);
    if (!extents) continue;
    if (extents->size() != kAxes)
      return "its products have operands of " + std::to_string(extents->size()) +
             " axes, the fused kernel takes 4: batch, heads, tokens, head size";
  }
  // of scores of 4 axes, whether or not their extents are known
  if (softmax.axis != -1 && softmax.axis != int64_t{kAxes} - 1)
    return "its Softmax runs along axis " + std::to_string(softmax.axis) + ", not the last";
  return wrong_mask(graph, block, extents_of);
}

/// True where Softmax reads scores of the form that the product writes.
bool is_whole_again(const Graph& graph, const AttentionBlock& block, const SoftmaxForm& softmax,
                    const ExtentsOf& extents_of) {
  const auto written = extents_of(*graph.node(block.first).output(0)), read = extents_of(softmax.input);
  return written && read && *written == *read;
}

std::optional<AttentionBlock> block_around(const Graph& graph, const SoftmaxForm& softmax,
                                           const ExtentsOf& extents_of) {
  const NodeId last = softmax.nodes.back();
  ScoresPath up = path_of_scores(graph, softmax.input, extents_of);
  if (!up.product) return std::nullopt;
  ProbabilitiesPath down = path_of_probabilities(graph, *graph.node(last).output(0));
  if (!down.product) return std::nullopt;
  const Node &first = graph.node(*up.product), &second = graph.node(*down.product);
  AttentionBlock block{.first = first.id, .softmax = last, .second = second.id};
  block.query = *first.input(0);
  block.key = *first.input(1);
  block.value = *second.input(1);
  block.probabilities = down.read;
  block.output = *second.output(0);
  block.between = std::move(up.nodes);
  block.softmax_nodes = softmax.nodes;
  block.behind = std::move(down.nodes);
  block.scales = std::move(up.scales);
  block.masks = std::move(up.masks);
  describe_operands(graph, extents_of, block);
  block.obstacle = other_reader(graph, block);
  if (block.obstacle.empty()) block.obstacle = up.obstacle;
  block.windows = std::move(up.windows);
  if (block.obstacle.empty() && !block.windows.empty() && !is_whole_again(graph, block, softmax, extents_of))
    block.obstacle = block.windows;
  if (block.obstacle.empty()) block.obstacle = down.obstacle;
  if (block.obstacle.empty()) block.obstacle = wrong_form(graph, block, softmax, extents_of);
  return block;
}

}  // namespace

std::vector<AttentionBlock> find_attention_blocks(const Graph& graph, const ExtentsOf& extents_of) {
  std::vector<AttentionBlock> blocks;
  for (const Node& node : graph.nodes()) {
    if (is_attention_operator(node)) {
      blocks.push_back(operator_block(graph, node, extents_of));
    } else if (const auto softmax = softmax_ending_in(graph, node)) {
      if (auto block = block_around(graph, *softmax, extents_of)) blocks.push_back(std::move(*block));
    }
  }
  return blocks;
}

}  // namespace detent
