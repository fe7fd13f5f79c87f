#include "half/narrow_io.h"

#include <algorithm>

#include "core/onnx_type.h"
#include "ops/value_types.h"

namespace detent {

namespace {

class IoNarrowing {
 public:
  IoNarrowing(const Graph& graph, DataType type) : graph_(graph), type_(type), types_(value_types(graph)) {}

  NarrowedIo run() {
    for (const ValueId id : graph_.inputs()) narrow_input(graph_.value(id));
    for (const ValueId id : graph_.outputs()) narrow_output(graph_.value(id));
    if (!result_.patch.empty())
      result_.patch.reason = "give inputs and outputs the type " + std::string(name_of(type_));
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool casts_to(const Node& node, DataType type) const {
    return node.op_type == "Cast" && node.domain.empty() && node.int_or("to", 0) == onnx_type_of(type);
  }

  void narrow_input(const Value& input) {
    if (input.declared_type != DataType::Float32 || input.is_output || input.uses.empty()) return;
    const auto narrows = [&](const Use& use) {
      if (use.slot < 0) return false;
      const Node& node = graph_.node(use.node);
      if (casts_to(node, type_)) return !graph_.value(*node.output(0)).is_output;
      return use.slot == 0 && scale_of(node) != nullptr;
    };
    if (!std::ranges::all_of(input.uses, narrows)) return;
    for (const Use& use : input.uses) {
      const Node& node = graph_.node(use.node);
      if (node.op_type == "Cast")
        replace(node, graph_.value(*node.output(0)), input);
      else
        narrow_scale(node, input);
    }
  }

  /// Returns the scale of a QuantizeLinear, a constant that nothing else reads; nullptr for other nodes.
  [[nodiscard]] const Tensor* scale_of(const Node& node) const {
    if (node.op_type != "QuantizeLinear" || !node.domain.empty() || graph_.value(*node.input(1)).uses.size() != 1)
      return nullptr;
    return graph_.constant(node.input(1));
  }

  /// Gives the scale the type of the value that its QuantizeLinear reads. The type holds its number: the scale of the
  /// DequantizeLinear is 16-bit already.
  void narrow_scale(const Node& quantize, const Value& input) {
    const Value& scale = graph_.value(*quantize.input(1));
    result_.patch.replace_constants.emplace_back(scale.name, cast(*scale_of(quantize), type_));
    result_.patch.set_types.emplace_back(scale.name, type_);
    result_.patch.set_types.emplace_back(input.name, type_);
  }

  void narrow_output(const Value& output) {
    const Node* cast = graph_.producer(output.id);
    if (!cast || !casts_to(*cast, DataType::Float32) || !output.uses.empty()) return;
    const Value& source = graph_.value(*cast->input(0));
    const Node* producer = graph_.producer(source.id);
    if (!producer || types_[source.id] != type_ || source.is_output || made_float(*producer)) return;
    if (ends_pair(*producer)) return;  // the plan has a pair for the Cast and none for the output
    const auto slot = std::ranges::find(producer->outputs, source.id) - producer->outputs.begin();
    result_.patch.rename_outputs.push_back({producer->name, static_cast<int>(slot), output.name});
    replace(*cast, source, output);
  }

  /// True for a Cast of the original file from another type, which stays.
  [[nodiscard]] bool made_float(const Node& producer) const {
    return producer.op_type == "Cast" && !casts_to(producer, type_);
  }

  [[nodiscard]] bool ends_pair(const Node& producer) const {
    const Node* before = producer.op_type == "Cast" ? graph_.producer(producer.input(0)) : &producer;
    return before && before->op_type == "DequantizeLinear";
  }

  /// Makes readers of `old` read `kept`, which gets the type, and removes the cast.
  void replace(const Node& cast, const Value& old, const Value& kept) {
    for (const Use& use : old.uses)
      if (use.node != cast.id) result_.patch.rewire.push_back({graph_.node(use.node).name, use.slot, kept.name});
    result_.patch.remove_nodes.push_back(cast.name);
    result_.patch.set_types.emplace_back(kept.name, type_);
    result_.renamed[old.name] = kept.name;
    result_.casts.insert(cast.name);
  }

  const Graph& graph_;
  DataType type_;
  ValueMap<DataType> types_;
  NarrowedIo result_;
};

}  // namespace

NarrowedIo narrow_io(const Graph& graph, DataType type) { return IoNarrowing(graph, type).run(); }

}  // namespace detent
