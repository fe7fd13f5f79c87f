#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/name_source.h"
#include "ops/traits.h"
#include "place/draft/certain_shapes.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

using Order = std::vector<int64_t>;

/// Turns what stands between [batch, tokens, ...] and [tokens, batch, ...] of attention's projections.
class BatchMover {
 public:
  BatchMover(const Graph& graph, GraphPatch& patch)
      : graph_(graph), names_(graph), facts_(graph, default_target()), shapes_(facts_), patch_(patch) {}

  void move() {
    for (const Node& node : graph_.nodes()) {
      if (!turns(node, {1, 0, 2})) continue;
      move_projections(node);
      move_result(node);
    }
  }

 private:
  static constexpr size_t kMostNodes = 24;  ///< of the projections of one block

  [[nodiscard]] static bool is(const Node* node, std::string_view op) {
    return node && node->op_type == op && node->domain.empty() && node->input(0) && node->output(0);
  }
  [[nodiscard]] static bool turns(const Node& node, const Order& order) {
    return is(&node, "Transpose") && node.ints_or("perm", {}) == order;
  }
  /// Returns the only reader of a value, which reads it as its first input.
  [[nodiscard]] const Node* sole_reader(ValueId id) const {
    const Value& value = graph_.value(id);
    return !value.is_output && value.uses.size() == 1 && value.uses[0].slot == 0 ? &graph_.node(value.uses[0].node)
                                                                                 : nullptr;
  }
  [[nodiscard]] std::string name_of(ValueId value) const { return graph_.value(value).name; }
  [[nodiscard]] Order constant_shape(const Node& node) const {
    const Tensor* shape = graph_.constant(node.input(1));
    if (!shape || shape->type() != DataType::Int64 || node.int_or("allowzero", 0) != 0) return {};
    return Order(shape->data<int64_t>().begin(), shape->data<int64_t>().end());
  }
  std::string numbers(const std::string& wish, const Order& extents) {
    const std::string name = names_.fresh(wish);
    patch_.add_initializers.emplace_back(name, Tensor::from<int64_t>({std::ssize(extents)}, extents));
    return name;
  }

  /// True for a node that does the same to every row, whatever their order.
  [[nodiscard]] bool works_by_row(const Node& node, int slot) const {
    if (!node.domain.empty() || node.outputs.size() != 1 || !node.output(0)) return false;
    const auto rank_of = [&](size_t other) {
      const Tensor* constant = graph_.constant(node.input(other));
      return constant ? static_cast<int64_t>(constant->shape().rank()) : int64_t{-1};
    };
    if (node.op_type == "MatMul") return slot == 0 && rank_of(1) == 2;
    if (node.op_type == "Slice") {
      const Tensor* axes = slot == 0 && node.input(3) ? graph_.constant(node.input(3)) : nullptr;
      if (!axes || axes->type() != DataType::Int64 || axes->element_count() != 1) return false;
      const int64_t axis = axes->data<int64_t>()[0];
      return axis == 2 || axis == -1;
    }
    const OpKind kind = traits_of(graph_, node).kind;
    const bool two = node.inputs.size() == 2 && (kind == OpKind::Add || kind == OpKind::Mul || kind == OpKind::Div);
    const auto rank = two ? rank_of(static_cast<size_t>(1 - slot)) : -1;
    return rank == 0 || rank == 1;
  }

  /// A Reshape that puts heads beside the batch, and the Transpose behind it.
  struct Operand {
    const Node *reshape, *turn;
    int64_t heads, tokens, size;
    bool keys;  ///< [batch * heads, size, tokens]
  };

  [[nodiscard]] std::optional<Operand> read_operand(const Node& reshape) {
    const Node* turn = is(&reshape, "Reshape") ? sole_reader(*reshape.output(0)) : nullptr;
    if (!turn || (!turns(*turn, {1, 0, 2}) && !turns(*turn, {1, 2, 0}))) return {};
    const auto from = shapes_.of(reshape.input(0));
    const Order to = constant_shape(reshape);
    if (!from || from->size() != 3 || to.size() != 3 || (*from)[0] < 1 || (*from)[2] < 1) return {};
    if (to[0] != (*from)[0] || to[1] != -1 || to[2] < 1 || (*from)[2] % to[2] != 0) return {};
    return Operand{&reshape, turn, (*from)[2] / to[2], to[0], to[2], turns(*turn, {1, 2, 0})};
  }

  /// Lets what reads a Transpose of an input [batch, tokens, channels] read the input.
  void move_projections(const Node& turn) {
    const auto input = shapes_.of(turn.input(0));
    if (!input || input->size() != 3 || (*input)[1] < 1) return;
    std::vector<const Node*> rows{&turn};
    std::vector<Operand> operands;
    for (size_t next = 0; next < rows.size(); ++next) {
      const Value& value = graph_.value(*rows[next]->output(0));
      if (value.is_output || value.uses.empty() || rows.size() > kMostNodes) return;
      for (const Use& use : value.uses) {
        if (use.slot < 0) return;
        const Node& reader = graph_.node(use.node);
        if (std::ranges::find(rows, &reader) != rows.end()) return;
        if (works_by_row(reader, use.slot))
          rows.push_back(&reader);
        else if (const auto operand = use.slot == 0 ? read_operand(reader) : std::nullopt)
          operands.push_back(*operand);
        else
          return;
      }
    }
    if (operands.empty()) return;
    std::map<ValueId, std::string> moved{{*turn.output(0), name_of(*turn.input(0))}};
    patch_.remove_nodes.push_back(turn.name);
    for (const Node* node : rows) {
      const ValueId output = *node->output(0);
      if (node != &turn) {
        moved[output] = names_.fresh(name_of(output) + "_batch_first");
        patch_.rename_outputs.push_back({node->name, 0, moved[output]});
      }
      for (const Use& use : graph_.value(output).uses)
        if (works_by_row(graph_.node(use.node), use.slot))
          patch_.rewire.push_back({graph_.node(use.node).name, use.slot, moved[output]});
    }
    for (const Operand& operand : operands) write_operand(operand, moved.at(*operand.reshape->input(0)));
  }

  void write_operand(const Operand& operand, const std::string& rows) {
    const std::string output = name_of(*operand.turn->output(0));
    const std::string apart = names_.fresh(output + "_heads"), turned = names_.fresh(output + "_turned");
    const Order order = operand.keys ? Order{0, 2, 3, 1} : Order{0, 2, 1, 3};
    const Order joint =
        operand.keys ? Order{-1, operand.size, operand.tokens} : Order{-1, operand.tokens, operand.size};
    patch_.add_nodes.push_back({"Reshape",
                                names_.fresh(apart + "_node"),
                                {rows, numbers(apart + "_shape", {0, operand.tokens, operand.heads, operand.size})},
                                {apart},
                                {},
                                ""});
    patch_.add_nodes.push_back({"Transpose", names_.fresh(turned + "_node"), {apart}, {turned}, {{"perm", order}}, ""});
    patch_.add_nodes.push_back(
        {"Reshape", names_.fresh(output + "_node"), {turned, numbers(output + "_shape", joint)}, {output}, {}, ""});
    patch_.remove_nodes.push_back(operand.reshape->name);
    patch_.remove_nodes.push_back(operand.turn->name);
  }

  /// Lets the output projection read [batch * tokens, channels]. `turn` stands behind the second product.
  void move_result(const Node& turn) {
    const auto from = shapes_.of(turn.input(0));
    const Node* flat = sole_reader(*turn.output(0));
    const Node* product = is(flat, "Reshape") ? sole_reader(*flat->output(0)) : nullptr;
    const Node* tokens = is(product, "Gemm") && product->int_or("transA", 0) == 0 && graph_.constant(product->input(1))
                             ? sole_reader(*product->output(0))
                             : nullptr;
    const Node* back = is(tokens, "Reshape") ? sole_reader(*tokens->output(0)) : nullptr;
    if (!back || !turns(*back, {1, 0, 2}) || !from || from->size() != 3 || (*from)[1] < 1 || (*from)[2] < 1) return;
    if (const Tensor* bias = graph_.constant(product->input(2));
        product->input(2) && (!bias || bias->shape().rank() > 1))
      return;
    const Order rows = constant_shape(*flat), apart = constant_shape(*tokens);
    if (rows.size() != 2 || rows[0] != -1 || rows[1] < 1 || rows[1] % (*from)[2] != 0) return;
    if (apart.size() != 3 || apart[0] != (*from)[1] || apart[1] != -1 || apart[2] < 1) return;
    const std::string heads = names_.fresh(name_of(*turn.output(0)) + "_heads"),
                      turned = names_.fresh(name_of(*turn.output(0)) + "_turned"),
                      joined = names_.fresh(name_of(*flat->output(0)) + "_batch_first"),
                      result = names_.fresh(name_of(*product->output(0)) + "_batch_first"),
                      output = name_of(*back->output(0));
    patch_.add_nodes.push_back(
        {"Reshape",
         names_.fresh(heads + "_node"),
         {name_of(*turn.input(0)), numbers(heads + "_shape", {-1, rows[1] / (*from)[2], (*from)[1], (*from)[2]})},
         {heads},
         {},
         ""});
    patch_.add_nodes.push_back(
        {"Transpose", names_.fresh(turned + "_node"), {heads}, {turned}, {{"perm", Order{0, 2, 1, 3}}}, ""});
    patch_.add_nodes.push_back(
        {"Reshape", names_.fresh(joined + "_node"), {turned, numbers(joined + "_shape", rows)}, {joined}, {}, ""});
    patch_.rewire.push_back({product->name, 0, joined});
    patch_.rename_outputs.push_back({product->name, 0, result});
    patch_.add_nodes.push_back({"Reshape",
                                names_.fresh(output + "_node"),
                                {result, numbers(output + "_shape", {-1, (*from)[1], apart[2]})},
                                {output},
                                {},
                                ""});
    for (const Node* node : {&turn, flat, tokens, back}) patch_.remove_nodes.push_back(node->name);
  }

  const Graph& graph_;
  NameSource names_;
  GraphFacts facts_;  // sizes are the same for every target
  CertainShapes shapes_;
  GraphPatch& patch_;
};

}  // namespace

GraphPatch batch_first(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "put the batch first in attention";
  if (std::ranges::any_of(graph.nodes(), [](const Node& node) { return node.op_type == "Softmax"; }))
    BatchMover(graph, patch).move();
  return patch;
}

}  // namespace detent::forms
