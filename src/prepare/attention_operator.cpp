#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "attention/operator_block.h"
#include "core/float_type.h"
#include "model/graph_patch.h"
#include "model/name_source.h"
#include "ops/value_types.h"
#include "prepare/attention_form.h"

namespace detent {

namespace {

/// Returns a large negative number for scores that a mask hides. A row without a visible key becomes the mean of all
/// values, where the operator writes 0.
float hidden_score(DataType type) {
  constexpr float kLowestHalf = -65504;
  return type == DataType::Float16 ? kLowestHalf : std::numeric_limits<float>::lowest();
}

/// The facts of an Attention node that its primitives depend on.
struct AttentionFacts {
  DataType type = DataType::Float32;
  bool split = false;                ///< operands are [batch, tokens, heads * size]
  int64_t heads = 0, key_heads = 0;  ///< 0 where not known
  int64_t head_size = 0;             ///< 0 where not known
  int64_t queries = 0, keys = 0;     ///< 0 where not known
  float scale = 0;
  bool causal = false, boolean_mask = false;
};

int64_t extent(const Graph& graph, ValueId value, size_t rank, size_t axis) {
  const auto& shape = graph.value(value).declared_shape;
  return shape && shape->size() == rank ? std::max<int64_t>((*shape)[axis], 0) : 0;
}

/// Returns whether the mask has a number, or one for all, for every key.
bool has_whole_mask(const Graph& graph, ValueId mask, int64_t keys) {
  const auto& shape = graph.value(mask).declared_shape;
  return shape && !shape->empty() && (shape->back() == 1 || (keys > 0 && shape->back() == keys));
}

/// Returns nullopt for a node that stays.
std::optional<AttentionFacts> facts_of(const Graph& graph, const Node& node, const ValueMap<DataType>& types) {
  const ValueId query = *input_of(node, AttentionInput::Query), key = *input_of(node, AttentionInput::Key);
  AttentionFacts facts{.type = types[query]};
  if (facts.type != DataType::Float32 && !is_half(facts.type)) return {};
  if (node.has("softmax_precision")) return {};
  facts.heads = node.int_or("q_num_heads", 0);
  facts.split = facts.heads > 0;
  facts.key_heads = facts.split ? node.int_or("kv_num_heads", 0) : extent(graph, key, 4, 1);
  if (!facts.split) facts.heads = extent(graph, query, 4, 1);
  if (facts.heads == 0 || facts.key_heads == 0) return {};
  const size_t rank = facts.split ? 3 : 4;
  facts.queries = extent(graph, query, rank, rank - 2);
  facts.keys = extent(graph, key, rank, rank - 2);
  facts.head_size = extent(graph, query, rank, rank - 1) / (facts.split ? facts.heads : 1);
  if (facts.head_size == 0 && (!node.has("scale") || facts.heads != facts.key_heads)) return {};
  facts.scale = node.float_or("scale", 1 / std::sqrt(static_cast<float>(facts.head_size)));
  facts.causal = node.int_or("is_causal", 0) != 0;
  if (facts.causal && (facts.queries == 0 || facts.keys == 0)) return {};
  const MaybeValue mask = input_of(node, AttentionInput::Mask);
  if (mask && !has_whole_mask(graph, *mask, facts.keys)) return {};
  facts.boolean_mask = mask && types[*mask] == DataType::Bool;
  return facts;
}

/// Writes the primitives of one node.
class AttentionWriter {
 public:
  AttentionWriter(const Graph& graph, const Node& node, const AttentionFacts& facts, NameSource& names,
                  GraphPatch& patch)
      : graph_(graph), node_(node), facts_(facts), names_(names), patch_(patch) {}

  void write() {
    const std::string query = heads_apart(AttentionInput::Query, facts_.heads);
    const std::string key = repeated(heads_apart(AttentionInput::Key, facts_.key_heads), "key");
    const std::string value = repeated(heads_apart(AttentionInput::Value, facts_.key_heads), "value");
    const std::string scaled = add("Mul", "scaled", {query, number("scale", facts_.scale)});
    const std::string turned = add("Transpose", "turned", {key}, {{"perm", std::vector<int64_t>{0, 1, 3, 2}}});
    const std::string scores = masked(add("MatMul", "scores", {scaled, turned}));
    const std::string probabilities = add("Softmax", "probabilities", {scores}, {{"axis", int64_t{-1}}});
    const std::string output = graph_.value(*node_.output(0)).name;
    if (!facts_.split) {
      patch_.add_nodes.push_back({"MatMul", node_.name, {probabilities, value}, {output}, {}, ""});
    } else {
      const std::string result = add("MatMul", "result", {probabilities, value});
      const std::string back = add("Transpose", "back", {result}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
      patch_.add_nodes.push_back({"Reshape", node_.name, {back, shape("joined", {0, 0, -1})}, {output}, {}, ""});
    }
    patch_.remove_nodes.push_back(node_.name);
  }

 private:
  std::string add(const std::string& op, const std::string& what, std::vector<std::string> inputs,
                  std::vector<Attribute> attributes = {}) {
    const std::string output = names_.fresh(node_.name + "_" + what);
    patch_.add_nodes.push_back(
        {op, names_.fresh(output + "_node"), std::move(inputs), {output}, std::move(attributes), ""});
    return output;
  }

  std::string constant(const std::string& what, Tensor tensor) {
    const std::string name = names_.fresh(node_.name + "_" + what);
    patch_.add_initializers.emplace_back(name, std::move(tensor));
    return name;
  }
  std::string number(const std::string& what, float number) {
    return constant(what, cast(Tensor::scalar<float>(number), facts_.type));
  }
  std::string shape(const std::string& what, std::vector<int64_t> numbers) {
    return constant(what, Tensor::from<int64_t>({std::ssize(numbers)}, std::move(numbers)));
  }

  /// Returns the operand as [batch, heads, tokens, size].
  std::string heads_apart(AttentionInput input, int64_t heads) {
    std::string name = graph_.value(*input_of(node_, input)).name;
    if (!facts_.split) return name;
    const std::string what = input == AttentionInput::Query ? "query" : input == AttentionInput::Key ? "key" : "value";
    name = add("Reshape", what + "_apart", {name, shape(what + "_shape", {0, 0, heads, -1})});
    return add("Transpose", what + "_heads", {name}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
  }

  /// Repeats each head of keys for the queries that share it.
  std::string repeated(const std::string& name, const std::string& what) {
    const int64_t times = facts_.heads / facts_.key_heads;
    if (times == 1) return name;
    const std::string apart = add("Unsqueeze", what + "_groups", {name, shape(what + "_axis", {2})});
    const std::string wide = add("Expand", what + "_repeated", {apart, shape(what + "_times", {1, 1, times, 1, 1})});
    return add("Reshape", what + "_grouped", {wide, shape(what + "_all", {0, facts_.heads, -1, facts_.head_size})});
  }

  std::string masked(std::string scores) {
    if (const MaybeValue mask = input_of(node_, AttentionInput::Mask)) {
      const std::string& name = graph_.value(*mask).name;
      scores = facts_.boolean_mask ? add("Where", "masked", {name, scores, number("hidden", hidden_score(facts_.type))})
                                   : add("Add", "masked", {scores, name});
    }
    return facts_.causal ? add("Add", "causal", {scores, constant("future", future())}) : scores;
  }

  /// Returns [queries, keys]: 0 up to the diagonal, hidden scores behind it.
  [[nodiscard]] Tensor future() const {
    std::vector<float> numbers;
    for (int64_t query = 0; query < facts_.queries; ++query)
      for (int64_t key = 0; key < facts_.keys; ++key) numbers.push_back(key <= query ? 0 : hidden_score(facts_.type));
    return cast(Tensor::from<float>({facts_.queries, facts_.keys}, std::move(numbers)), facts_.type);
  }

  const Graph& graph_;
  const Node& node_;
  const AttentionFacts& facts_;
  NameSource& names_;
  GraphPatch& patch_;
};

}  // namespace

size_t expand_attention_operators(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "write Attention as primitives";
  NameSource names(graph);
  std::optional<ValueMap<DataType>> types;
  for (const Node& node : graph.nodes()) {
    if (!is_attention_operator(node) ||
        !operator_block(graph, node, [](ValueId) { return std::nullopt; }).obstacle.empty())
      continue;
    if (!types) types = value_types(graph);
    if (const auto facts = facts_of(graph, node, *types)) AttentionWriter(graph, node, *facts, names, patch).write();
  }
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

}  // namespace detent
