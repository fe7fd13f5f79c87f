#include "pipeline/dead_channels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "model/constant_editor.h"

namespace detent {
namespace {

constexpr float kClip = 6;
constexpr double kSize = 0.1;  // of a new weight, relative to the old ones

struct Block {
  const Node* expand;
  const Node* depthwise;
  const Node* project;
  ValueId clipped;  ///< the projection's input
};

/// The only reader of a node's output, if it is of this type.
const Node* only_reader(const Graph& graph, const Node& node, const std::string& op) {
  const Value& value = graph.value(*node.output(0));
  if (value.uses.size() != 1 || value.is_output) return nullptr;
  const Node& reader = graph.node(value.uses[0].node);
  return reader.op_type == op ? &reader : nullptr;
}

std::optional<Block> block_from(const Graph& graph, const Node& expand) {
  if (expand.op_type != "Conv" || expand.int_or("group", 1) != 1) return std::nullopt;
  const Node* first = only_reader(graph, expand, "Clip");
  const Node* depthwise = first ? only_reader(graph, *first, "Conv") : nullptr;
  const Node* second = depthwise ? only_reader(graph, *depthwise, "Clip") : nullptr;
  const Node* project = second ? only_reader(graph, *second, "Conv") : nullptr;
  if (!project || depthwise->int_or("group", 1) != graph.constant(depthwise->input(1))->shape()[0]) return std::nullopt;
  return Block{&expand, depthwise, project, *second->output(0)};
}

/// `tensor` with `more` elements behind its others, along axis 0.
Tensor longer(const Tensor& tensor, std::span<const float> more) {
  const auto old = tensor.data<float>();
  std::vector<float> elements(old.begin(), old.end());
  elements.insert(elements.end(), more.begin(), more.end());
  Shape shape = tensor.shape();
  shape[0] += static_cast<int64_t>(more.size()) / shape.element_count(1, shape.rank());
  return Tensor::from<float>(shape, elements);
}

class Widening {
 public:
  Widening(const Graph& graph, std::span<const float> constants, uint32_t seed)
      : graph_(graph), constants_(constants), editor_(graph), random_(seed) {}

  void widen(const Block& block) {
    const size_t count = constants_.size();
    const Shape& kernel = weight(*block.expand).shape();
    append(*block.expand, std::vector<float>(count * static_cast<size_t>(kernel.element_count(1, 4))),
           {constants_.begin(), constants_.end()});
    const auto taps = static_cast<size_t>(weight(*block.depthwise).shape().element_count(1, 4));
    std::vector<float> middle(count * taps);
    for (size_t c = 0; c < count; ++c) middle[c * taps + taps / 2] = 1;
    append(*block.depthwise, middle, std::vector<float>(count));
    const Shape& depthwise = weight(*block.depthwise).shape();
    editor_.patch().set_attributes.push_back(
        {block.depthwise->name, {"group", depthwise[0] + static_cast<int64_t>(count)}});
    project(*block.project);
  }
  GraphPatch take() { return editor_.take("dead channels"); }

 private:
  [[nodiscard]] const Tensor& weight(const Node& conv) const { return *graph_.constant(conv.input(1)); }
  [[nodiscard]] const Tensor& bias(const Node& conv) const { return *graph_.constant(conv.input(2)); }

  void append(const Node& conv, const std::vector<float>& weights, const std::vector<float>& biases) {
    editor_.replace(conv, 1, longer(weight(conv), weights), "wider_weight");
    editor_.replace(conv, 2, longer(bias(conv), biases), "wider_bias");
  }

  /// Adds input channels behind the others; the bias takes back their contribution.
  void project(const Node& conv) {
    const auto old = weight(conv).data<float>();
    const auto outputs = static_cast<size_t>(weight(conv).shape()[0]);
    const size_t inputs = old.size() / outputs;
    double squares = 0;
    for (const float w : old) squares += static_cast<double>(w) * w;
    std::normal_distribution<double> normal(0, kSize * std::sqrt(squares / static_cast<double>(old.size())));
    std::vector<float> weights, biases;
    for (size_t o = 0; o < outputs; ++o) {
      weights.insert(weights.end(), old.begin() + static_cast<std::ptrdiff_t>(o * inputs),
                     old.begin() + static_cast<std::ptrdiff_t>((o + 1) * inputs));
      double bias_of_output = bias(conv).data<float>()[o];
      for (const float constant : constants_) {
        weights.push_back(static_cast<float>(normal(random_)));
        bias_of_output -= static_cast<double>(weights.back()) * std::min(constant, kClip);
      }
      biases.push_back(static_cast<float>(bias_of_output));
    }
    const auto channels = static_cast<int64_t>(inputs + constants_.size());
    editor_.replace(
        conv, 1, Tensor::from<float>({static_cast<int64_t>(outputs), channels, 1, 1}, std::span<const float>(weights)),
        "wider_weight");
    editor_.replace(conv, 2, Tensor::from<float>(bias(conv).shape(), std::span<const float>(biases)), "wider_bias");
  }

  const Graph& graph_;
  std::span<const float> constants_;
  ConstantEditor editor_;
  std::mt19937 random_;
};

}  // namespace

DeadChannels with_dead_channels(const Model& model, std::span<const float> constants, uint32_t seed) {
  DeadChannels made{model.clone(), {}};
  const Graph& graph = model.graph();
  Widening widening(graph, constants, seed);
  for (const Node& node : graph.nodes())
    if (const std::optional<Block> block = block_from(graph, node)) {
      widening.widen(*block);
      made.values.push_back(graph.value(block->clipped).name);
    }
  apply_patch(made.model, widening.take());
  return made;
}

}  // namespace detent
