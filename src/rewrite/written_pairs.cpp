#include "rewrite/written_pairs.h"

#include <algorithm>

#include "core/same_tensor.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Compares numbers, whatever the float type.
bool same_numbers(const Tensor* a, const Tensor* b) {
  if (!a || !b) return a == b;
  return a->shape() == b->shape() &&
         std::ranges::equal(cast(*a, DataType::Float32).data<float>(), cast(*b, DataType::Float32).data<float>());
}

bool same_content_or_none(const Tensor* a, const Tensor* b) {
  if (!a || !b) return a == b;
  return same_tensor(*a, *b);
}

}  // namespace

std::string describe(const Node& node) { return node.op_type + " '" + node.name + "'"; }

WrittenGrid grid_of(const Graph& graph, const Node& node) {
  return {graph.constant(node.input(1)), graph.constant(node.input(2)), node.int_or("axis", 1), node.has("axis")};
}

bool same_grid(const WrittenGrid& a, const WrittenGrid& b) {
  return same_numbers(a.scale, b.scale) && same_content_or_none(a.zero_point, b.zero_point);
}

WrittenPairs::WrittenPairs(const Graph& graph, const std::set<std::string>& original,
                           const std::set<std::string>& alone)
    : graph_(graph), original_(original) {
  for (const Node& node : graph.nodes()) {
    const OpKind kind = traits_of(graph, node).kind;
    if (kind == OpKind::DequantizeLinear && !alone.contains(graph.value(*node.output(0)).name)) follow(node);
    if (kind == OpKind::QuantizeLinear && !alone.contains(graph.value(*node.output(0)).name)) check_quantize(node);
  }
}

const Node* WrittenPairs::added_cast(MaybeNode id) const {
  if (!id) return nullptr;
  const Node& node = graph_.node(*id);
  const bool added =
      traits_of(graph_, node).kind == OpKind::Cast && !original_.contains(graph_.value(*node.output(0)).name);
  return added ? &node : nullptr;
}

void WrittenPairs::follow(const Node& dequantize) {
  WrittenPair pair;
  pair.dequantize = dequantize.id;
  pair.codes = *dequantize.input(0);
  pair.result = *dequantize.output(0);
  pair.grid = grid_of(graph_, dequantize);
  owned_.insert(dequantize.id);
  const Node* quantize = graph_.producer(pair.codes);
  if (quantize && traits_of(graph_, *quantize).kind == OpKind::QuantizeLinear) {
    pair.quantize = quantize->id;
    pair.source = quantize->input(0);
    owned_.insert(quantize->id);
    if (const Node* cast = added_cast(graph_.value(*pair.source).producer)) {
      pair.source = cast->input(0);
      pair.cast = cast->id;
      owned_.insert(cast->id);
    }
    const WrittenGrid before = grid_of(graph_, *quantize);
    if (!same_grid(before, pair.grid))
      flaws_.push_back({describe(dequantize), "its scale or zero point differs from that of " + describe(*quantize)});
    if (before.axis != pair.grid.axis)
      flaws_.push_back({describe(dequantize), "its axis differs from that of " + describe(*quantize)});
  } else if (!graph_.value(pair.codes).is_constant) {
    flaws_.push_back({describe(dequantize), "reads '" + graph_.value(pair.codes).name +
                                                "', which is neither constant nor written by a QuantizeLinear"});
  }
  const Value& written = graph_.value(pair.result);
  if (written.uses.size() == 1 && !written.is_output)
    if (const Node* cast = added_cast(written.uses.front().node)) {
      pair.result = *cast->output(0);
      owned_.insert(cast->id);
    }
  by_result_[pair.result] = static_cast<int>(pairs_.size());
  pairs_.push_back(pair);
}

void WrittenPairs::check_quantize(const Node& quantize) {
  owned_.insert(quantize.id);
  const Value& codes = graph_.value(*quantize.output(0));
  if (codes.is_output) flaws_.push_back({describe(quantize), "its codes are a graph output"});
  const bool paired = codes.uses.size() == 1 && codes.uses.front().slot == 0 &&
                      traits_of(graph_, graph_.node(codes.uses.front().node)).kind == OpKind::DequantizeLinear;
  if (!paired)
    flaws_.push_back({describe(quantize), "its codes '" + codes.name + "' are read by " +
                                              std::to_string(codes.uses.size()) +
                                              " nodes, not by one DequantizeLinear"});
}

int WrittenPairs::find_by_result(MaybeValue value) const {
  const auto found = value ? by_result_.find(*value) : by_result_.end();
  return found == by_result_.end() ? -1 : found->second;
}

}  // namespace detent
