#include "prepare/fold_batchnorm.h"

#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "model/graph_patch.h"
#include "prepare/layer_channels.h"

namespace detent {

namespace {

/// The producer whose output a BatchNormalization normalises: a weighted node, with or without operators by constants
/// behind it, the last one first: the Add that Paddle writes instead of a ConvTranspose's bias, the Div by the
/// normalization's factors that PyTorch's quantization-aware training leaves.
struct Source {
  const Node* node = nullptr;
  std::vector<const Node*> between;
};

Source source_of(const Graph& graph, MaybeValue normalised) {
  Source source;
  for (MaybeValue value = normalised;;) {
    source.node = is_private(graph, value) ? graph.producer(value) : nullptr;
    const auto slot = source.node ? operator_constant(graph, *source.node) : std::nullopt;
    if (!slot) return source;
    source.between.push_back(source.node);
    value = source.node->inputs[1 - *slot];
  }
}

std::optional<GraphPatch> find_fold(const Graph& graph, const Node& batchnorm) {
  const std::optional<ChannelAffine> normalization = batchnorm_affine(graph, batchnorm);
  const Source source = normalization ? source_of(graph, batchnorm.input(0)) : Source{};
  const auto layer = source.node ? layer_channels(graph, *source.node) : std::nullopt;
  if (!layer || layer->count() != normalization->factor.size()) return std::nullopt;
  ChannelAffine affine = unchanged_channels(layer->count());
  for (const Node* step : source.between | std::views::reverse) {
    const auto next = operator_affine(graph, *step, *layer);
    if (!next) return std::nullopt;
    append(affine, *next);
  }
  append(affine, *normalization);

  const std::string& output = graph.value(*batchnorm.output(0)).name;
  ConstantEditor editor(graph);
  if (!fold_into_layer(*layer, affine, output, editor)) return std::nullopt;
  GraphPatch patch = editor.take("fold BatchNormalization '" + batchnorm.name + "' into '" + layer->node->name + "'");
  patch.remove_nodes.push_back(batchnorm.name);
  for (const Node* step : source.between) patch.remove_nodes.push_back(step->name);
  patch.rename_outputs.push_back({layer->node->name, 0, output});
  return patch;
}

std::vector<GraphPatch> find_batchnorm_folds(const Graph& graph) {
  std::vector<GraphPatch> folds;
  for (const Node& node : graph.nodes())
    if (std::optional<GraphPatch> fold = find_fold(graph, node)) folds.push_back(std::move(*fold));
  return folds;
}

}  // namespace

size_t fold_batchnorms(Model& model) {
  size_t count = 0;
  // A second round finds a BatchNormalization behind one that was folded in the first.
  for (std::vector<GraphPatch> folds = find_batchnorm_folds(model.graph()); !folds.empty();
       folds = find_batchnorm_folds(model.graph())) {
    for (const GraphPatch& fold : folds) apply_patch(model, fold);
    count += folds.size();
  }
  return count;
}

}  // namespace detent
