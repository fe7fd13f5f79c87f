#include "ops/value_types.h"

#include <algorithm>
#include <optional>

#include "core/index.h"
#include "core/onnx_type.h"
#include "ops/signatures.h"

namespace detent {

namespace {

/// The types of a node's variables, as far as its values determine them.
class NodeTypes {
 public:
  NodeTypes(const Signature& signature, const Node& node, const ValueMap<DataType>& types)
      : signature_(signature), node_(node), bound_(signature.variables.size(), DataType::Undefined) {
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) bind(signature.input(slot), node.inputs[slot], types);
  }

  void bind_outputs(const ValueMap<DataType>& types) {
    for (size_t slot = 0; slot < node_.outputs.size(); ++slot)
      bind(signature_.output(slot), node_.outputs[slot], types);
  }

  [[nodiscard]] DataType of(int variable) const {
    const DataType bound = bound_[as_index(variable)];
    return bound != DataType::Undefined ? bound : signature_.variables[as_index(variable)].types.only();
  }

  [[nodiscard]] DataType of_output(size_t slot) const {
    const Parameter* output = signature_.output(slot);
    if (!output) return DataType::Undefined;
    if (const DataType type = of(output->variable); type != DataType::Undefined || output->attribute.empty())
      return type;
    const AttributeValue* given = node_.find_attribute(output->attribute);
    if (const auto* tensor = given ? std::get_if<Tensor>(given) : nullptr) return tensor->type();
    if (const auto* number = given ? std::get_if<int64_t>(given) : nullptr; number && *number != 0)
      return *number == kOnnxString ? DataType::String : data_type_from_onnx(*number);
    return output->default_variable >= 0 ? of(output->default_variable) : output->default_type;
  }

 private:
  void bind(const Parameter* parameter, MaybeValue operand, const ValueMap<DataType>& types) {
    if (!parameter || !operand) return;
    const DataType type = types[*operand];
    const auto variable = as_index(parameter->variable);
    if (bound_[variable] == DataType::Undefined && signature_.variables[variable].types.contains(type))
      bound_[variable] = type;
  }

  const Signature& signature_;
  const Node& node_;
  std::vector<DataType> bound_;
};

template <class Visit>
void visit_graphs(const Node& node, const Visit& visit) {
  for (const Attribute& attribute : node.attributes)
    if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute.value)) visit(**graph);
}

/// Returns the number of a Loop's or Scan's first output among those of its body.
size_t first_body_output(const Node& node) { return node.op_type == "Loop" ? 1 : 0; }

using TypesByGraph = std::unordered_map<const Graph*, ValueMap<DataType>>;

/// The inference of the types of one graph, and of each graph inside it once.
class TypeInference {
 public:
  struct Around {
    const Graph& graph;
    const Node& node;
    const ValueMap<DataType>& types;
  };

  TypeInference(const Graph& graph, const Around* around, TypesByGraph& all)
      : graph_(graph), all_(all), types_(all[&graph]) {
    types_.reserve(graph.values().size());
    for (const Value& value : graph.values())
      types_.push_back(value.is_optional ? DataType::Undefined : value.declared_type.value_or(DataType::Undefined));
    if (around) take_from(*around);
  }

  void run() {
    forward();
    if (std::ranges::find(types_, DataType::Undefined) == types_.end()) return;
    backward();
    forward();
  }

 private:
  void take_from(const Around& around) {
    const auto take = [&](ValueId value, MaybeValue outside) {
      if (!outside || around.graph.value(*outside).is_optional) return;
      if (const DataType type = around.types[*outside]; type != DataType::Undefined) types_[value] = type;
    };
    for (const ValueId value : graph_.captured())
      if (!graph_.value(value).is_constant) take(value, around.graph.find_value(graph_.value(value).name));
    if (around.node.op_type != "Loop" && around.node.op_type != "Scan") return;
    const size_t first = around.node.op_type == "Scan" && graph_.opset() < 9 ? 1 : 0;
    for (size_t i = 0; i < graph_.inputs().size(); ++i) take(graph_.inputs()[i], around.node.input(first + i));
  }

  void forward() {
    for (const Node& node : graph_.nodes()) {
      visit_graphs(node, [&](const Graph& inner) {
        if (all_.contains(&inner)) return;
        const Around around{graph_, node, types_};
        TypeInference(inner, &around, all_).run();
      });
      if (const Signature* signature = find_typed_signature(graph_, node)) {
        const NodeTypes known(*signature, node, types_);
        set_outputs(node, [&](size_t slot) { return known.of_output(slot); });
      } else {
        set_outputs(node, [&](size_t slot) { return from_bodies(node, slot); });
      }
    }
  }

  template <class TypeOf>
  void set_outputs(const Node& node, const TypeOf& type_of) {
    for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
      const MaybeValue output = node.outputs[slot];
      if (!output || graph_.value(*output).is_constant || graph_.value(*output).is_optional) continue;
      if (const DataType type = type_of(slot); type != DataType::Undefined) types_[*output] = type;
    }
  }

  [[nodiscard]] DataType from_bodies(const Node& node, size_t slot) const {
    DataType found = DataType::Undefined;
    if (!node.domain.empty() || (node.op_type != "If" && node.op_type != "Loop" && node.op_type != "Scan"))
      return found;
    visit_graphs(node, [&](const Graph& inner) {
      const size_t position = slot + first_body_output(node);
      if (found == DataType::Undefined && position < inner.outputs().size())
        found = all_.at(&inner)[inner.outputs()[position]];
    });
    return found;
  }

  /// Gives values whose maker tells nothing the type that their readers require.
  void backward() {
    for (auto node = graph_.nodes().rbegin(); node != graph_.nodes().rend(); ++node) {
      const Signature* signature = find_typed_signature(graph_, *node);
      if (!signature) continue;
      NodeTypes known(*signature, *node, types_);
      known.bind_outputs(types_);
      for (size_t slot = 0; slot < node->inputs.size(); ++slot) {
        const MaybeValue input = node->inputs[slot];
        const Parameter* parameter = signature->input(slot);
        if (parameter && input && types_[*input] == DataType::Undefined && !graph_.value(*input).is_optional)
          types_[*input] = known.of(parameter->variable);
      }
    }
  }

  const Graph& graph_;
  TypesByGraph& all_;
  ValueMap<DataType>& types_;
};

}  // namespace

ValueTypes::ValueTypes(const Graph& graph) { TypeInference(graph, nullptr, types_).run(); }

ValueMap<DataType> value_types(const Graph& graph) { return ValueTypes(graph).of(graph); }

bool holds_half_values(const Graph& graph) { return std::ranges::count(value_types(graph), DataType::Float16) > 0; }

namespace {

class FaultFinder {
 public:
  explicit FaultFinder(const Graph& graph) : main_(graph), types_(graph) {}

  std::vector<GraphFault> run() {
    check(main_, "");
    return std::move(faults_);
  }

 private:
  void check(const Graph& graph, const std::string& inside) {
    outer_.push_back(&graph);
    for (const Node& node : graph.nodes()) {
      const std::string where = "node '" + inside + node.name + "' (" + node.op_type + ")";
      if (const Signature* signature = find_typed_signature(graph, node)) check_types(graph, node, *signature, where);
      visit_graphs(node, [&](const Graph& inner) {
        check_names(inner);
        check_results(graph, node, inner, where);
        check(inner, inside + node.name + "/");
      });
    }
    outer_.pop_back();
  }

  static std::string in_words(DataType type) {
    return type == DataType::Sequence ? "a sequence" : std::string(name_of(type));
  }

  static std::string slot_text(const char* word, size_t slot, const Value& value) {
    return std::string(word) + " " + std::to_string(slot) + ", '" + value.name + "', is ";
  }

  void check_types(const Graph& graph, const Node& node, const Signature& signature, const std::string& where) {
    const ValueMap<DataType>& types = types_.of(graph);
    const NodeTypes known(signature, node, types);
    const auto check_slot = [&](const char* word, size_t slot, const Value& value, DataType type,
                                const Parameter* parameter) {
      if (type == DataType::Undefined || !parameter) return;
      const TypeSet& taken = signature.variables[as_index(parameter->variable)].types;
      if (!taken.contains(type))
        faults_.push_back({where, slot_text(word, slot, value) + in_words(type) + "; opset " +
                                      std::to_string(graph.opset()) + " has " + taken.text() + " there"});
      else if (const DataType wanted = known.of(parameter->variable); wanted != type)
        faults_.push_back({where, slot_text(word, slot, value) + in_words(type) +
                                      "; it must have the same type as the other operands, " + in_words(wanted)});
    };
    for (size_t slot = 0; slot < node.inputs.size(); ++slot)
      if (const MaybeValue input = node.inputs[slot]; input && !graph.value(*input).is_optional)
        check_slot("input", slot, graph.value(*input), types[*input], signature.input(slot));
    for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
      const Parameter* output = signature.output(slot);
      if (!output || !node.outputs[slot] || graph.value(*node.outputs[slot]).is_optional) continue;
      const Value& value = graph.value(*node.outputs[slot]);
      const DataType made = known.of_output(slot);
      if (made == DataType::Undefined) continue;
      if (!signature.variables[as_index(output->variable)].types.contains(made))
        check_slot("output", slot, value, made, output);
      else if (value.declared_type && *value.declared_type != made)
        faults_.push_back({where, slot_text("output", slot, value) + in_words(made) + "; the file declares " +
                                      in_words(*value.declared_type)});
    }
  }

  /// Checks that both branches of an If, and a Loop's value from step to step, have one type.
  void check_results(const Graph& graph, const Node& node, const Graph& inner, const std::string& where) {
    if (!node.domain.empty() || (node.op_type != "If" && node.op_type != "Loop" && node.op_type != "Scan")) return;
    const size_t first = first_body_output(node);
    for (size_t slot = 0; slot < node.outputs.size() && slot + first < inner.outputs().size(); ++slot) {
      const ValueId inside = inner.outputs()[slot + first];
      if (!node.outputs[slot]) continue;
      const ValueId outside = *node.outputs[slot];
      if (graph.value(outside).is_optional || inner.value(inside).is_optional) continue;
      const DataType made = types_.of(inner)[inside];
      const std::optional<DataType> declared = graph.value(outside).declared_type;
      const DataType wanted = declared.value_or(types_.of(graph)[outside]);
      if (made != DataType::Undefined && wanted != DataType::Undefined && made != wanted)
        faults_.push_back({where, slot_text("output", slot, graph.value(outside)) + in_words(wanted) +
                                      "; the graph inside makes " + in_words(made)});
    }
  }

  /// Checks that names are unique in a graph and all graphs inside it. Source: ONNX docs/IR.md, "Names Within a Graph".
  void check_names(const Graph& inner) {
    ValueMap<bool> captured(inner.values().size(), false);
    for (const ValueId value : inner.captured()) captured[value] = true;
    for (const Value& value : inner.values())
      if (!captured[value.id] &&
          std::ranges::any_of(outer_, [&](const Graph* one) { return bool(one->find_value(value.name)); }))
        faults_.push_back({"value '" + value.name + "'", "is defined in a graph inside the main graph, and around it"});
  }

  const Graph& main_;
  ValueTypes types_;
  std::vector<const Graph*> outer_;
  std::vector<GraphFault> faults_;
};

}  // namespace

std::vector<GraphFault> find_graph_faults(const Graph& graph) { return FaultFinder(graph).run(); }

}  // namespace detent
