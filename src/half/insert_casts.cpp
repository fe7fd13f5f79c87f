#include "half/insert_casts.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "core/files/mapped_file.h"
#include "core/onnx_type.h"
#include "half/half_slots.h"
#include "model/name_source.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// True for a node that reads any type and whose output type does not follow.
bool reads_any_type(const Node& node) {
  return node.op_type == "Shape" || node.op_type == "Size" || node.op_type == "Cast";
}

class CastInserter {
 public:
  CastInserter(const Graph& graph, const FloatPlan& plan, const ValueReaches& reaches)
      : graph_(graph), plan_(plan), reaches_(reaches), names_(graph) {}

  CastPatch run() {
    for (const Value& value : graph_.values()) {
      if (value.is_constant)
        store(value);
      else if (reaches_.contains(value.id))
        connect(value);
    }
    for (const Node& node : graph_.nodes()) retype(node);
    if (!result_.patch.empty()) result_.patch.reason = "insert the casts to " + std::string(name_of(plan_.format.type));
    return std::move(result_);
  }

 private:
  using Types = std::map<DataType, std::string>;  // the value's name in each type

  /// Returns the type in which a slot reads a Float32 value.
  [[nodiscard]] DataType wanted(const Use& use) const {
    const Node& node = graph_.node(use.node);
    const DataType type = plan_.type_of(node.id);
    const bool follows =
        use.slot >= 0 && type == plan_.format.type && input_follows(graph_, node, static_cast<size_t>(use.slot), type);
    return follows ? type : DataType::Float32;
  }

  /// Returns the type in which a value is written.
  [[nodiscard]] DataType made(const Value& value) const {
    if (!value.producer) return DataType::Float32;
    const Node& producer = graph_.node(*value.producer);
    const auto slot = static_cast<size_t>(std::ranges::find(producer.outputs, value.id) - producer.outputs.begin());
    const DataType type = plan_.type_of(producer.id);
    return type == plan_.format.type && output_follows(graph_, producer, slot, type) ? type : DataType::Float32;
  }

  void connect(const Value& value) {
    const DataType type = made(value);
    std::string source = value.name;
    if (value.is_output && type != DataType::Float32)
      source = divert(value, type);
    else if (type != DataType::Float32)
      result_.patch.set_types.emplace_back(value.name, type);
    Types names{{type, source}};
    for (const Use& use : value.uses) {
      if (use.slot < 0 || reads_any_type(graph_.node(use.node))) {
        if (use.slot >= 0 && source != value.name) rewire(use, source);
        continue;
      }
      const std::string& name = in_type(names, value.name, source, wanted(use));
      if (name != value.name) rewire(use, name);
    }
  }

  /// Renames the producer's output and casts it to the graph output, which keeps its name and type.
  std::string divert(const Value& value, DataType type) {
    const Node& producer = graph_.node(*value.producer);
    std::string moved = names_.fresh(value.name + "_" + std::string(name_of(type)));
    const auto slot = std::ranges::find(producer.outputs, value.id) - producer.outputs.begin();
    result_.patch.rename_outputs.push_back({producer.name, static_cast<int>(slot), moved});
    add_cast(moved, value.name, DataType::Float32);
    return moved;
  }

  const std::string& in_type(Types& names, const std::string& name, const std::string& source, DataType type) {
    const auto found = names.find(type);
    if (found != names.end()) return found->second;
    const std::string result = names_.fresh(name + "_" + std::string(name_of(type)));
    add_cast(source, result, type);
    return names.emplace(type, result).first->second;
  }

  void add_cast(const std::string& source, const std::string& result, DataType type) {
    result_.patch.add_nodes.push_back({"Cast",
                                       names_.fresh(result + "_Cast"),
                                       {source},
                                       {result},
                                       {{"to", static_cast<int64_t>(onnx_type_of(type))}},
                                       ""});
    ++result_.casts;
  }

  void rewire(const Use& use, const std::string& name) {
    result_.patch.rewire.push_back({graph_.node(use.node).name, use.slot, name});
  }

  void store(const Value& value) {
    const Tensor* constant = graph_.constant(value.id);
    if (!constant || constant->type() != DataType::Float32) return;
    const auto is_half = [&](const Use& use) {
      return wanted(use) == plan_.format.type && !reads_any_type(graph_.node(use.node));
    };
    const auto half_readers = std::ranges::count_if(value.uses, is_half);
    if (half_readers == 0) return;
    if (half_readers == static_cast<int64_t>(value.uses.size()) && !value.is_output) {
      result_.patch.replace_constants.emplace_back(value.name, narrowed(*constant));
      result_.patch.set_types.emplace_back(value.name, plan_.format.type);
      return;
    }
    const std::string copy = names_.fresh(value.name + "_" + std::string(name_of(plan_.format.type)));
    result_.patch.add_initializers.emplace_back(copy, narrowed(*constant));
    for (const Use& use : value.uses)
      if (is_half(use)) rewire(use, copy);
  }

  [[nodiscard]] Tensor narrowed(const Tensor& constant) const {
    const auto numbers = to_plain(constant).data<float>();
    const auto largest = static_cast<float>(plan_.format.largest);
    std::vector<float> within(numbers.begin(), numbers.end());
    for (float& number : within) number = std::isinf(number) ? number : std::clamp(number, -largest, largest);
    let_go_of_pages(constant.raw(), constant.byte_count());
    return shared_by_models(cast(Tensor::from<float>(constant.shape(), within), plan_.format.type));
  }

  /// Changes the attribute of an operator that names its output's type.
  void retype(const Node& node) {
    const MaybeValue output = node.output(0);
    if (plan_.type_of(node.id) != plan_.format.type || !output || !reaches_.contains(*output)) return;
    const auto type = static_cast<int64_t>(onnx_type_of(plan_.format.type));
    if (node.op_type == "Cast")
      result_.patch.set_attributes.push_back({node.name, {"to", type}});
    else if (node.op_type == "DequantizeLinear" && node.int_or("output_dtype", 0) != 0)
      result_.patch.set_attributes.push_back({node.name, {"output_dtype", type}});
    else if (const Tensor* value = node.op_type == "ConstantOfShape" ? node.tensor("value") : nullptr)
      result_.patch.set_attributes.push_back({node.name, {"value", narrowed(*value)}});
    else if (node.op_type == "ConstantOfShape")
      result_.patch.set_attributes.push_back({node.name, {"value", narrowed(Tensor::from<float>({1}, {0.0F}))}});
  }

  const Graph& graph_;
  const FloatPlan& plan_;
  const ValueReaches& reaches_;
  NameSource names_;
  CastPatch result_;
};

}  // namespace

CastPatch insert_casts(const Graph& graph, const FloatPlan& plan, const ValueReaches& reaches) {
  return CastInserter(graph, plan, reaches).run();
}

}  // namespace detent
