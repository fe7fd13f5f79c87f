#include "tune/weights/block_variants.h"

#include <algorithm>
#include <utility>

#include "core/files/mapped_file.h"
#include "detent/base/error.h"
#include "rewrite/gathered_codes.h"
#include "rewrite/table_quantizer.h"
#include "run/for_each_index.h"

namespace detent {

namespace {

void quantize_tables(const Graph& graph, const PlacementPlan& plan, size_t threads, BlockedWeights& weights) {
  std::vector<std::optional<BlockedWeight>> codes(plan.tables.size());
  for_each_index(codes.size(), threads, [&](size_t i) {
    const TableDecision& decision = plan.tables[i];
    const Tensor& table = *graph.constant(decision.value);
    codes[i] = exact_codes(table);
    if (!codes[i] && !decision.exact) codes[i] = column_codes(table);
    let_go_of_pages(table.raw(), table.byte_count());
  });
  for (size_t i = 0; i < codes.size(); ++i)
    if (codes[i]) weights.insert_or_assign(plan.tables[i].value, std::move(*codes[i]));
}

}  // namespace

BlockedWeights quantize_weights(const Graph& graph, const PlacementPlan& plan, const BlockFormat& format,
                                size_t threads) {
  BlockedWeights weights;
  std::map<ValueId, int> axes;
  for (const WeightDecision& weight : plan.weights) {
    weights.try_emplace(weight.value);
    axes.emplace(weight.value, weight.axis);
  }
  std::vector<BlockedWeights::value_type*> entries;
  for (auto& entry : weights) entries.push_back(&entry);
  for_each_index(entries.size(), threads, [&](size_t i) {
    auto& [value, blocked] = *entries[i];
    const Tensor& weight = *graph.constant(value);
    try {
      BlockFormat own = format;
      own.scales = weight.type();
      blocked = weight.shape().rank() == 2 ? quantize_blocks(weight, own) : channel_codes(weight, axes.at(value));
    } catch (const Error& error) {
      throw error.in("weight '" + graph.value(value).name + "'");
    }
    let_go_of_pages(weight.raw(), weight.byte_count());
  });
  quantize_tables(graph, plan, threads, weights);
  return weights;
}

Model with_blocks(const Model& model, const PlacementPlan& plan, const BlockedWeights& weights,
                  const BlockFormat& format) {
  Model quantized = model.clone();
  insert_blocks(quantized, plan, weights, format);
  return quantized;
}

std::vector<TiedTable> insert_blocks(Model& model, const PlacementPlan& plan, const BlockedWeights& weights,
                                     const BlockFormat& format) {
  const EngineDef& engine = plan.target->engine;
  std::vector<TiedTable> tied;  // a product that is packed has no codes that a Gather could read
  if (!engine.packs_products) tied = find_tied_tables(model.graph(), plan);
  if (const GraphPatch patch = make_blocks_patch(model.graph(), plan, weights, format); !patch.add_nodes.empty())
    apply_patch(model, patch);
  const GraphPatch shared = share_tied_codes(model.graph(), tied, engine.gathers_codes);
  if (!shared.empty()) apply_patch(model, shared);
  std::erase_if(tied, [&](const TiedTable& table) {
    return std::ranges::find(shared.rewire, table.gather, &GraphPatch::Rewire::node) == shared.rewire.end();
  });
  if (const GraphPatch patch = gather_codes(model.graph(), *plan.target); !patch.empty()) apply_patch(model, patch);
  return tied;
}

BlockVariants::BlockVariants(const Model& model, const Target& target, NodeChoice nodes, const BlockFormat& format,
                             const BlockedWeights& weights)
    : model_(model), graph_(model.graph()), target_(target), nodes_(std::move(nodes)), format_(format),
      weights_(weights) {
  const PlacementPlan whole = plan({});
  for (const LayerDecision& layer : whole.layers) elements_ += layer.params;
  for (const WeightDecision& weight : whole.weights)
    if (const int64_t elements = graph_.constant(weight.value)->element_count();
        plan({{graph_.node(weight.node).name, "tried"}}).weights.size() < whole.weights.size())
      choices_.push_back({weight.node, elements});
  for (const TableDecision& table : whole.tables) {
    const auto codes = weights_.find(table.value);
    if (codes == weights_.end() || codes->second.scales.shape().rank() == 0) continue;  // float, or exact
    if (plan({{graph_.node(table.node).name, "tried"}}).tables.size() < whole.tables.size())
      choices_.push_back({table.node, graph_.constant(table.value)->element_count()});
  }
  std::ranges::sort(choices_, {}, &FloatChoice::node);
}

PlacementPlan BlockVariants::plan(const KeptFloat& kept) const {
  return make_weights_plan(graph_, target_, nodes_, blocks_of(format_), {.costly = kept});
}

GraphPatch BlockVariants::patch(const PlacementPlan& plan) {
  return make_blocks_patch(graph_, plan, weights_, format_);
}

Model BlockVariants::model(const PlacementPlan& plan) { return with_blocks(model_, plan, weights_, format_); }

WeightBlocks blocks_of(const BlockFormat& format) {
  return {.bits = format.codes == DataType::Int4 ? 4 : 8, .block = format.block};
}

}  // namespace detent
