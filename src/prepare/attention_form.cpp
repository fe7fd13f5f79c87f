#include "prepare/attention_form.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attention/attention_block.h"
#include "model/graph_patch.h"
#include "model/name_source.h"

namespace detent {

namespace {

std::vector<AttentionBlock> blocks_of_form(const Graph& graph) {
  std::vector<AttentionBlock> blocks = find_attention_blocks(graph, [](ValueId) { return std::nullopt; });
  std::erase_if(blocks, [](const AttentionBlock& block) { return !block.obstacle.empty() || block.is_operator(); });
  return blocks;
}

size_t apply(Model& model, const GraphPatch& patch) {
  if (!patch.remove_nodes.empty()) apply_patch(model, patch);
  return patch.remove_nodes.size();
}

/// An Einsum of two operands as a batched product: labels in the order of the product's axes.
struct EinsumProduct {
  std::string first, second, result;  ///< as written
  std::string batch;                  ///< in the order of the result
  char row = 0, column = 0, sum = 0;

  [[nodiscard]] std::string rows() const { return batch + row + sum; }
  [[nodiscard]] std::string columns() const { return batch + sum + column; }
  [[nodiscard]] std::string product() const { return batch + row + column; }
};

bool has_each_once(const std::string& labels) {
  return std::ranges::all_of(labels, [&](char label) { return std::ranges::count(labels, label) == 1; });
}

/// Reads "bqhd,bkhd->bhqk"; nullopt for other forms, ellipses among them.
std::optional<EinsumProduct> read_equation(std::string text) {
  std::erase(text, ' ');
  const size_t comma = text.find(','), arrow = text.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || text.find('.') != std::string::npos) return {};
  EinsumProduct read{.first = text.substr(0, comma),
                     .second = text.substr(comma + 1, arrow - comma - 1),
                     .result = text.substr(arrow + 2),
                     .batch = {}};
  if (!has_each_once(read.first) || !has_each_once(read.second) || !has_each_once(read.result)) return {};
  std::string rows, columns, sums;
  for (const char label : read.result) {
    const bool in_first = read.first.find(label) != std::string::npos;
    const bool in_second = read.second.find(label) != std::string::npos;
    (in_first && in_second ? read.batch : in_first ? rows : columns) += label;
  }
  for (const char label : read.first + read.second) {
    if (read.result.find(label) != std::string::npos || sums.find(label) != std::string::npos) continue;
    if (read.first.find(label) == std::string::npos || read.second.find(label) == std::string::npos) return {};
    sums += label;
  }
  if (rows.size() != 1 || columns.size() != 1 || sums.size() != 1) return {};
  read.row = rows[0], read.column = columns[0], read.sum = sums[0];
  return read;
}

std::vector<int64_t> permutation(const std::string& from, const std::string& to) {
  std::vector<int64_t> order;
  for (const char label : to) order.push_back(static_cast<int64_t>(from.find(label)));
  return order;
}

/// Adds a Transpose of `value` unless the order is the same. Returns the name of the value in the new order.
std::string transposed(GraphPatch& patch, NameSource& names, const std::string& value, const std::string& from,
                       const std::string& to, std::string output = {}) {
  if (from == to && output.empty()) return value;
  if (output.empty()) output = names.fresh(value + "_transposed");
  patch.add_nodes.push_back(
      {"Transpose", names.fresh(output + "_node"), {value}, {output}, {{"perm", permutation(from, to)}}, ""});
  return output;
}

void replace_einsum(const Graph& graph, const Node& node, NameSource& names, GraphPatch& patch) {
  if (node.op_type != "Einsum") return;
  const auto equation = read_equation(node.string_or("equation", ""));
  if (!equation) return;
  const std::string& output = graph.value(*node.output(0)).name;
  const std::string a = transposed(patch, names, graph.value(*node.inputs[0]).name, equation->first, equation->rows());
  const std::string b =
      transposed(patch, names, graph.value(*node.inputs[1]).name, equation->second, equation->columns());
  const bool in_order = equation->product() == equation->result;
  const std::string product = in_order ? output : names.fresh(output + "_product");
  patch.add_nodes.push_back({"MatMul", node.name, {a, b}, {product}, {}, ""});
  if (!in_order) transposed(patch, names, product, equation->product(), equation->result, output);
  patch.remove_nodes.push_back(node.name);
}

/// Moves the scales of one block.
class ScaleMover {
 public:
  ScaleMover(const Graph& graph, const AttentionBlock& block, NameSource& names, GraphPatch& patch)
      : graph_(graph), block_(block), names_(names), patch_(patch) {}

  void move() {
    std::string query = graph_.value(block_.query).name;
    for (const NodeId id : block_.scales) {
      const Node& node = graph_.node(id);
      const size_t side = carries_scores(node.input(0)) ? 0 : 1;
      behind_[*node.output(0)] = unscaled(*node.input(side));
      NodeSpec scale{node.op_type, names_.fresh(node.name + "_query"), {}, {}, {}, ""};
      scale.inputs = {query, graph_.value(*node.input(1 - side)).name};
      if (side == 1) std::swap(scale.inputs[0], scale.inputs[1]);
      query = names_.fresh(graph_.value(*node.output(0)).name + "_query");
      scale.outputs = {query};
      patch_.add_nodes.push_back(std::move(scale));
      patch_.remove_nodes.push_back(node.name);
    }
    if (block_.scales.empty()) return;
    patch_.rewire.push_back({graph_.node(block_.first).name, 0, query});
    for (const auto& [scaled, scores] : behind_)
      for (const Use& use : graph_.value(scaled).uses)
        if (std::ranges::find(block_.scales, use.node) == block_.scales.end())
          patch_.rewire.push_back({graph_.node(use.node).name, use.slot, graph_.value(scores).name});
  }

 private:
  [[nodiscard]] bool carries_scores(MaybeValue value) const {
    const Node* writer = graph_.producer(value);
    return writer &&
           (writer->id == block_.first || std::ranges::find(block_.between, writer->id) != block_.between.end());
  }
  [[nodiscard]] ValueId unscaled(ValueId value) const {
    const auto found = behind_.find(value);
    return found == behind_.end() ? value : found->second;
  }

  const Graph& graph_;
  const AttentionBlock& block_;
  NameSource& names_;
  GraphPatch& patch_;
  std::map<ValueId, ValueId> behind_;  // output of a scale -> the scores without it
};

/// Returns the rank that a Transpose or Reshape in front of the value shows, behind scales; 0 where none stands there.
size_t transposed_rank(const Graph& graph, ValueId value) {
  const Node* node = graph.producer(value);
  for (int steps = 0; node && steps < 3; ++steps) {
    if (node->op_type == "Transpose") return node->ints_or("perm", {}).size();
    if (node->op_type == "Reshape") {
      const Tensor* shape = graph.constant(node->input(1));
      return shape ? static_cast<size_t>(shape->element_count()) : 0;
    }
    if (node->op_type != "Mul" && node->op_type != "Div" && node->op_type != "Cast") return 0;
    node = graph.producer(node->input(graph.constant(node->input(0)) ? 1 : 0));  // none behind a Cast of a constant
  }
  return 0;
}

/// True for a block of MatMuls whose operands have 3 axes: batch and heads are one.
bool has_three_axes(const Graph& graph, const AttentionBlock& block) {
  const auto has_three = [&](ValueId value) { return transposed_rank(graph, value) == 3; };
  if (!has_three(block.query) || !has_three(block.key) || !has_three(block.value) || !block.masks.empty()) return false;
  return !block.has_written_softmax() && graph.node(block.first).op_type == "MatMul" &&
         graph.node(block.second).op_type == "MatMul";
}

/// An operand that was [batch, heads, tokens, size] before a Reshape joined batch and heads.
struct JoinedOperand {
  ValueId apart{};
  const Node* join = nullptr;
  std::vector<const Node*> scales;  ///< behind the Reshape, the last one first
};

/// Returns the number of numbers that a Reshape writes; 0 for other nodes.
int64_t written_axes(const Graph& graph, const Node* node) {
  const Tensor* shape = node && node->op_type == "Reshape" ? graph.constant(node->input(1)) : nullptr;
  return shape ? shape->element_count() : 0;
}

const Use* sole_use(const Graph& graph, MaybeValue id) {
  if (!id) return nullptr;
  const Value& value = graph.value(*id);
  return !value.is_output && value.uses.size() == 1 && value.uses[0].slot >= 0 ? value.uses.data() : nullptr;
}

std::optional<JoinedOperand> find_joined(const Graph& graph, ValueId operand) {
  JoinedOperand found;
  const Node* node = graph.producer(operand);
  for (int steps = 0; node && steps < 3; ++steps) {
    if (!sole_use(graph, node->output(0))) return {};
    if (written_axes(graph, node) == 3) {
      const Node* turn = graph.producer(node->input(0));
      if (!turn || turn->op_type != "Transpose" || turn->ints_or("perm", {}).size() != 4) return {};
      found.apart = *node->input(0);
      found.join = node;
      return found;
    }
    const Tensor* scale = graph.constant(node->input(1));
    if ((node->op_type != "Mul" && node->op_type != "Div") || !scale || scale->element_count() != 1) return {};
    found.scales.push_back(node);
    node = graph.producer(node->input(0));
  }
  return {};
}

/// Gives the values between the operands and the result of a block four axes: those in front of a Reshape that joined
/// batch and heads, else one of 1. They get other names, since the model may declare three axes for the old ones.
class Lifter {
 public:
  Lifter(const Graph& graph, const AttentionBlock& block, NameSource& names, const std::string& axes, GraphPatch& patch)
      : graph_(graph), block_(block), names_(names), axes_(axes), patch_(patch) {}

  void lift() {
    const auto query = find_joined(graph_, block_.query), key = find_joined(graph_, block_.key),
               value = find_joined(graph_, block_.value);
    const Use* behind = sole_use(graph_, block_.output);
    const Node* apart = behind && behind->slot == 0 ? &graph_.node(behind->node) : nullptr;
    if (query && key && value && written_axes(graph_, apart) == 4) {
      take_apart(*query, block_.first, 0);
      take_apart(*key, block_.first, 1);
      take_apart(*value, block_.second, 1);
      lift_inside();
      patch_.rename_outputs.push_back({graph_.node(block_.second).name, 0, name_of(*apart->output(0))});
      patch_.remove_nodes.push_back(apart->name);
      return;
    }
    unsqueeze(block_.first, 0);
    unsqueeze(block_.first, 1);
    unsqueeze(block_.second, 1);
    lift_inside();
    const std::string result = name_of(block_.output), lifted = names_.fresh(result + "_axes");
    patch_.rename_outputs.push_back({graph_.node(block_.second).name, 0, lifted});
    patch_.add_nodes.push_back({"Squeeze", names_.fresh(result + "_node"), {lifted, axes_}, {result}, {}, ""});
  }

 private:
  [[nodiscard]] std::string name_of(ValueId value) const { return graph_.value(value).name; }

  /// Puts an axis of 1 in front of an operand.
  void unsqueeze(NodeId product, int slot) {
    const std::string before = name_of(*graph_.node(product).input(static_cast<size_t>(slot))),
                      after = names_.fresh(before + "_axes");
    patch_.add_nodes.push_back({"Unsqueeze", names_.fresh(after + "_node"), {before, axes_}, {after}, {}, ""});
    patch_.rewire.push_back({graph_.node(product).name, slot, after});
  }

  /// Lets a product read an operand in front of the Reshape.
  void take_apart(const JoinedOperand& operand, NodeId product, int slot) {
    std::string current = name_of(operand.apart);
    for (auto scale = operand.scales.rbegin(); scale != operand.scales.rend(); ++scale) {
      patch_.rewire.push_back({(*scale)->name, 0, current});
      current = names_.fresh(name_of(*(*scale)->output(0)) + "_axes");
      patch_.rename_outputs.push_back({(*scale)->name, 0, current});
    }
    patch_.rewire.push_back({graph_.node(product).name, slot, current});
    patch_.remove_nodes.push_back(operand.join->name);
  }

  void lift_inside() {
    std::vector<NodeId> inside{block_.first, block_.softmax};
    inside.insert(inside.end(), block_.between.begin(), block_.between.end());
    inside.insert(inside.end(), block_.behind.begin(), block_.behind.end());
    for (const NodeId id : inside) {
      const ValueId output = *graph_.node(id).output(0);
      const std::string lifted = names_.fresh(name_of(output) + "_axes");
      patch_.rename_outputs.push_back({graph_.node(id).name, 0, lifted});
      for (const Use& use : graph_.value(output).uses)
        patch_.rewire.push_back({graph_.node(use.node).name, use.slot, lifted});
    }
    patch_.set_attributes.push_back({graph_.node(block_.softmax).name, Attribute{"axis", int64_t{-1}}});
  }

  const Graph& graph_;
  const AttentionBlock& block_;
  NameSource& names_;
  const std::string& axes_;
  GraphPatch& patch_;
};

}  // namespace

size_t make_matmuls_of_einsums(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "make a MatMul of each Einsum in attention";
  NameSource names(graph);
  for (const AttentionBlock& block : blocks_of_form(graph))
    for (const NodeId product : {block.first, block.second}) replace_einsum(graph, graph.node(product), names, patch);
  return apply(model, patch);
}

size_t make_softmax_operators(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "make a Softmax of its primitives";
  for (const AttentionBlock& block : blocks_of_form(graph)) {
    if (!block.has_written_softmax()) continue;
    const Node& last = graph.node(block.softmax);
    const NodeId before = block.between.empty() ? block.first : block.between.back();
    patch.add_nodes.push_back({"Softmax",
                               last.name,
                               {graph.value(*graph.node(before).output(0)).name},
                               {graph.value(*last.output(0)).name},
                               {{"axis", int64_t{-1}}},
                               ""});
    for (const NodeId node : block.softmax_nodes) patch.remove_nodes.push_back(graph.node(node).name);
  }
  return apply(model, patch);
}

size_t move_scales_to_queries(Model& model) {
  const Graph& graph = model.graph();
  GraphPatch patch;
  patch.reason = "move the scale of attention to its queries";
  NameSource names(graph);
  for (const AttentionBlock& block : blocks_of_form(graph)) ScaleMover(graph, block, names, patch).move();
  return apply(model, patch);
}

size_t lift_to_four_axes(Model& model) {
  const Graph& graph = model.graph();
  constexpr int64_t kAxesInput = 13;  // Unsqueeze-13 and Squeeze-13
  if (graph.opset() < kAxesInput) return 0;
  GraphPatch patch;
  patch.reason = "give attention the axes of a fused kernel";
  NameSource names(graph);
  const std::string axes = names.fresh("attention_axes");
  size_t lifted = 0;
  for (const AttentionBlock& block : blocks_of_form(graph)) {
    if (!has_three_axes(graph, block)) continue;
    Lifter(graph, block, names, axes, patch).lift();
    ++lifted;
  }
  if (lifted == 0) return 0;
  patch.add_initializers.emplace_back(axes, Tensor::from<int64_t>({1}, {0}));
  apply_patch(model, patch);
  return lifted;
}

bool lacks_attention_form(const Graph& graph, bool operators) {
  return std::ranges::any_of(
      find_attention_blocks(graph, [](ValueId) { return std::nullopt; }), [&](const AttentionBlock& block) {
        if (block.is_operator()) return operators;
        const auto is_einsum = [&](NodeId product) { return graph.node(product).op_type == "Einsum"; };
        return block.obstacle.empty() &&
               (!block.scales.empty() || block.has_written_softmax() || is_einsum(block.first) ||
                is_einsum(block.second) || has_three_axes(graph, block));
      });
}

size_t shape_attention(Model& model, bool operators) {
  size_t replaced = operators ? expand_attention_operators(model) : 0;
  replaced += make_matmuls_of_einsums(model);
  replaced += make_softmax_operators(model);
  replaced += move_scales_to_queries(model);
  return replaced + lift_to_four_axes(model);
}

}  // namespace detent
