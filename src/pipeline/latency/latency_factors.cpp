#include "pipeline/latency/latency_factors.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/text.h"
#include "detent/base/error.h"
#include "ops/traits.h"
#include "pipeline/latency/latency_variants.h"
#include "rewrite/format_options.h"
#include "tune/latency/latency_model.h"

namespace detent {

namespace {

using P = PlacementOptions;

constexpr size_t kMostGroups = 5, kMostPolicies = 4;
constexpr size_t kLeastToHalve = 4;

/// A change of one policy away from its default.
struct PolicyChange {
  const char* name;
  const char* option;  ///< "concat=inputs"
  bool (*is_default)(const P&);
  void (*change)(P&);
};

constexpr PolicyChange kPolicies[] = {
    {"separate scales of Concat inputs", "concat=inputs", [](const P& p) { return p.concat == P::Concat::Shared; },
     [](P& p) { p.concat = P::Concat::Inputs; }},
    {"one quantized operand of Adds", "act-add=main", [](const P& p) { return p.act_add == P::ActAdd::Both; },
     [](P& p) { p.act_add = P::ActAdd::Main; }},
    {"attention in INT8", "attention=int8", [](const P& p) { return p.attention == P::Attention::Auto; },
     [](P& p) { p.attention = P::Attention::Int8; }},
    {"attention in float", "attention=float", [](const P& p) { return p.attention == P::Attention::Auto; },
     [](P& p) { p.attention = P::Attention::Float; }},
    {"residual stream in INT8", "residual=quantize", [](const P& p) { return p.residual == P::Residual::Auto; },
     [](P& p) { p.residual = P::Residual::Quantize; }},
    {"residual stream in float", "residual=float", [](const P& p) { return p.residual == P::Residual::Auto; },
     [](P& p) { p.residual = P::Residual::Float; }},
    {"products of squeeze-and-excite in float", "se-mul=float", [](const P& p) { return p.se_mul == P::SeMul::Both; },
     [](P& p) { p.se_mul = P::SeMul::Float; }},
    {"embeddings in float", "embeddings=float", [](const P& p) { return p.embeddings == P::Embeddings::Auto; },
     [](P& p) { p.embeddings = P::Embeddings::Float; }},
    {"8-bit weights of float layers", "float-weights=int8",
     [](const P& p) { return p.float_weights == P::FloatWeights::Float; },
     [](P& p) { p.float_weights = P::FloatWeights::Int8; }},
    {"small layers in INT8", "small-layers=quantize", [](const P& p) { return p.small_layers == P::SmallLayers::Auto; },
     [](P& p) { p.small_layers = P::SmallLayers::Quantize; }},
};

/// Returns the kind of a product by how many outputs a row of inputs has: those in front of and behind the activation
/// of a transformer block differ, and so do projections.
std::string kind_of_product(const Node& node, const Shape& weight) {
  if (weight.rank() != 2) return "matrix products";
  const bool turned = node.op_type == "Gemm" && node.int_or("transB", 0) != 0;
  const int64_t inputs = weight[turned ? 1 : 0], outputs = weight[turned ? 0 : 1];
  return outputs > inputs   ? "widening matrix products"
         : outputs < inputs ? "narrowing matrix products"
                            : "square matrix products";
}

/// Returns the kind of a node in words that tables keep: "depthwise convolutions", "Add".
std::string kind_of(const Graph& graph, const Node& node) {
  const OpKind kind = traits_of(graph, node).kind;
  const MaybeValue second = node.input(1);
  const Tensor* weight = second ? graph.constant(*second) : nullptr;
  if (kind == OpKind::ConvTranspose) return "transposed convolutions";
  if (kind == OpKind::Gemm || kind == OpKind::MatMul)
    return weight ? kind_of_product(node, weight->shape()) : "products of activations";
  if (kind != OpKind::Conv || !weight) return node.op_type;
  const Shape& shape = weight->shape();
  const size_t spatial = shape.rank() < 2 ? 0 : shape.rank() - 2;
  if (spatial == 1) return "1-D convolutions";
  if (spatial == 3) return "3-D convolutions";
  if (shape[1] == 1 && node.int_or("group", 1) > 1) return "depthwise convolutions";
  bool pointwise = true;
  for (size_t axis = 2; axis < shape.rank(); ++axis) pointwise = pointwise && shape[axis] == 1;
  return pointwise ? "pointwise convolutions" : "convolutions";
}

/// Returns the nodes that compute on codes or read pairs, by kind, in node order.
std::map<std::string, std::vector<NodeId>> quantized_by_kind(const Graph& graph, const PlacementPlan& plan) {
  std::set<NodeId> found;
  for (const LayerDecision& layer : plan.layers)
    if (layer.is_quantized()) found.insert(layer.node);
  for (const EdgeDecision& edge : plan.edges)
    if (edge.reads_pair()) found.insert(edge.consumer);
  std::map<std::string, std::vector<NodeId>> kinds;
  for (const NodeId node : found) kinds[kind_of(graph, graph.node(node))].push_back(node);
  return kinds;
}

/// The work of a network, and of some of its nodes: half of a share are multiplications, half elements of outputs.
class Work {
 public:
  Work(const Graph& graph, const PlacementPlan& plan, const ValueShapes& shapes)
      : graph_(graph), plan_(plan), shapes_(shapes) {
    for (const LayerDecision& layer : plan.layers) macs_ += static_cast<double>(layer.macs);
    for (const Node& node : graph.nodes()) elements_ += elements_of(node.id);
  }
  [[nodiscard]] double share_of(const std::vector<NodeId>& nodes) const {
    constexpr double kLeast = 1e-4;
    double macs = 0, elements = 0;
    for (const NodeId node : nodes) {
      if (const LayerDecision* layer = plan_.find_layer(node)) macs += static_cast<double>(layer->macs);
      elements += elements_of(node);
    }
    const double of_macs = macs_ > 0 ? macs / macs_ : 0, of_elements = elements_ > 0 ? elements / elements_ : 0;
    return std::clamp((of_macs + of_elements) / 2, kLeast, 1.0);
  }
  [[nodiscard]] double mean_elements(const std::vector<NodeId>& nodes) const {
    double sum = 0;
    for (const NodeId node : nodes) sum += elements_of(node);
    return nodes.empty() ? 0 : sum / static_cast<double>(nodes.size());
  }

 private:
  [[nodiscard]] double elements_of(NodeId node) const {
    const Shape* shape = find_shape(shapes_, graph_.node(node).output(0));
    return shape ? static_cast<double>(shape->element_count()) : 0;
  }

  const Graph& graph_;
  const PlacementPlan& plan_;
  const ValueShapes& shapes_;
  double macs_ = 0, elements_ = 0;
};

std::vector<std::string> names_of_nodes(const Graph& graph, const std::vector<NodeId>& nodes) {
  std::vector<std::string> names;
  for (const NodeId node : nodes) names.push_back(graph.node(node).name);
  return names;
}

/// Returns a pattern of these names: "^(conv1|conv2)$", with special characters escaped.
std::string pattern_of(const std::vector<std::string>& names) {
  constexpr std::string_view kSpecial = R"(\^$.|?*+()[]{})";
  const auto escaped = [&](const std::string& name) {
    std::string text;
    for (const char character : name) {
      if (kSpecial.find(character) != std::string_view::npos) text += '\\';
      text += character;
    }
    return text;
  };
  return "^(" + join(names, "|", escaped) + ")$";
}

LatencyFactor float_group(const std::string& name, const std::string& change, const Attempt& attempt,
                          const std::vector<NodeId>& nodes, const Work& work) {
  LatencyFactor factor{.name = name, .kind = {"float " + change, work.share_of(nodes), work.mean_elements(nodes)}};
  factor.nodes = names_of_nodes(attempt.prepared.graph(), nodes);
  factor.options = {"--exclude", pattern_of(factor.nodes)};
  return factor;
}

/// Returns the other 8-bit type of activations that the target has kernels for; nullopt where the user chose one, or
/// there is none.
std::optional<DataType> other_activation(const Recipe& recipe, const QuantizeOptions& options) {
  const DataType now = recipe.format.activation.type;
  if (options.format.activation || options.format.dynamic || (now != DataType::Int8 && now != DataType::UInt8))
    return std::nullopt;
  const DataType other = now == DataType::Int8 ? DataType::UInt8 : DataType::Int8;
  const ActivationType* type = recipe.target->find_activation(other);
  return type && type->without_kernels.empty() ? std::optional(other) : std::nullopt;
}

/// Returns the group of products that get a scale in advance where others find theirs at run time.
LatencyFactor fixed_group(const std::string& kind, const Attempt& attempt, const std::vector<NodeId>& nodes,
                          const Work& work) {
  const std::string name = kind + " with scales in advance";
  LatencyFactor factor{.name = name, .kind = {name, work.share_of(nodes), work.mean_elements(nodes)}};
  factor.fixed = names_of_nodes(attempt.prepared.graph(), nodes);
  factor.options = {"--include", pattern_of(factor.fixed)};
  return factor;
}

}  // namespace

std::vector<LatencyFactor> latency_factors(const Attempt& attempt, const QuantizeOptions& options) {
  const Prepared& prepared = attempt.prepared;
  const Recipe& recipe = prepared.recipe;
  const Graph& graph = prepared.graph();
  const Work work(graph, prepared.plan, prepared.shapes);
  const auto changes = [&](const LatencyFactor& factor) {
    return pairs_of(variant_of(attempt, options, {&factor}).plan) != pairs_of(prepared.plan);
  };

  std::vector<LatencyFactor> factors;
  if (const auto other = other_activation(recipe, options)) {
    const bool is_signed = *other == DataType::Int8;
    factors.push_back({.name = is_signed ? "int8 activations" : "uint8 activations",
                       .kind = {is_signed ? "activation int8" : "activation uint8", 1, 0},
                       .activation = other,
                       .options = {"--activation", is_signed ? "int8" : "uint8"}});
  }
  if (may_be_dynamic(options.format, recipe.placement, *recipe.target)) {
    LatencyFactor dynamic{.name = "scales at run time",
                          .kind = {"activation dynamic", 1, 0},
                          .dynamic = true,
                          .options = {"--activation", "dynamic"}};
    if (changes(dynamic)) factors.push_back(std::move(dynamic));
  }
  std::vector<LatencyFactor> groups;
  if (!recipe.target->engine.whole_graph) {  // such engines have no float kernels
    for (const auto& [kind, nodes] : quantized_by_kind(graph, prepared.plan)) {
      LatencyFactor group = float_group(kind + " in float", kind, attempt, nodes, work);
      if (changes(group)) groups.push_back(std::move(group));
    }
  }
  std::ranges::stable_sort(groups, std::ranges::greater(), [](const LatencyFactor& group) { return group.kind.share; });
  groups.resize(std::min(groups.size(), kMostGroups));
  std::ranges::move(groups, std::back_inserter(factors));
  if (options.format.dynamic) {
    for (const auto& [kind, nodes] : quantized_by_kind(graph, prepared.plan)) {
      LatencyFactor group = fixed_group(kind, attempt, nodes, work);
      if (factors.size() + kMostPolicies < kMostFactors && changes(group)) factors.push_back(std::move(group));
    }
  }
  size_t policies = 0;
  for (const PolicyChange& policy : kPolicies) {
    if (policies == kMostPolicies || !policy.is_default(options.placement)) continue;
    LatencyFactor factor{.name = policy.name,
                         .kind = {"policy " + std::string(policy.option), 1, 0},
                         .policy = policy.change,
                         .options = {"--policy", policy.option}};
    if (!changes(factor)) continue;
    factors.push_back(std::move(factor));
    ++policies;
  }
  return factors;
}

std::optional<std::pair<LatencyFactor, LatencyFactor>> halves_of(const LatencyFactor& factor, const Attempt& attempt) {
  const size_t count = factor.nodes.size();
  if (count < kLeastToHalve) return std::nullopt;
  const Prepared& prepared = attempt.prepared;
  const Work work(prepared.graph(), prepared.plan, prepared.shapes);
  const std::string change = factor.kind.change.substr(std::string_view("float ").size());
  const auto part = [&](size_t first, size_t last) {
    std::vector<NodeId> nodes;
    for (size_t i = first; i < last; ++i) nodes.push_back(*prepared.graph().find_node(factor.nodes[i]));
    return float_group(fmt::format("{} {} to {} of {} in float", change, first + 1, last, count), change, attempt,
                       nodes, work);
  };
  return std::pair(part(0, count / 2), part(count / 2, count));
}

TimeBelief effect_by_share(const LatencyFactor& factor, double float_ratio) {
  constexpr double kPart = .5;  // of that share, by which it may be wrong
  TimeBelief effect = LatencyModel::kUnknownEffect;
  if (factor.nodes.empty() || float_ratio <= 0) return effect;
  effect.mean = std::clamp(float_ratio - 1, -1.0, LatencyModel::kWorst) * factor.kind.share;
  effect.deviation += kPart * std::abs(effect.mean);
  return effect;
}

std::string words_of(const std::vector<const LatencyFactor*>& changes) {
  constexpr std::string_view kInFloat = " in float";
  std::vector<std::string> forms, groups;
  for (const LatencyFactor* factor : changes) {
    if (factor->nodes.empty())
      forms.push_back(factor->name);
    else
      groups.push_back(factor->name.substr(0, factor->name.size() - kInFloat.size()));
  }
  if (groups.empty()) return join(forms, ", ");
  std::string last = groups.back() + std::string(kInFloat);
  groups.pop_back();
  forms.push_back(groups.empty() ? last : join(groups, ", ") + " and " + last);
  return join(forms, ", ");
}

}  // namespace detent
