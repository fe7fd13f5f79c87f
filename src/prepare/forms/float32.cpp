#include <algorithm>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "model/name_source.h"
#include "ops/op_kind.h"
#include "ops/traits.h"
#include "ops/value_types.h"
#include "prepare/forms/forms.h"

namespace detent::forms {

namespace {

Attribute to_type(DataType type) { return {"to", static_cast<int64_t>(onnx_type_of(type))}; }

bool holds_graph(const Node& node) {
  return std::ranges::any_of(node.attributes, [](const Attribute& attribute) {
    return std::holds_alternative<std::shared_ptr<const Graph>>(attribute.value);
  });
}

class Widener {
 public:
  explicit Widener(const Graph& graph) : graph_(graph), types_(value_types(graph)), names_(graph) {
    patch_.reason = "compute in FP32";
  }

  GraphPatch run() {
    const auto half = [](DataType type) { return is_half(type); };
    if (std::ranges::none_of(types_, half) || std::ranges::any_of(graph_.nodes(), holds_graph)) return {};
    for (const Node& node : graph_.nodes()) widen_attributes(node);
    for (const Value& value : graph_.values()) widen(value);
    return std::move(patch_);
  }

 private:
  void widen(const Value& value) {
    if (!is_half(types_[value.id])) return;
    if (const Tensor* constant = graph_.constant(value.id))
      patch_.replace_constants.emplace_back(value.name, cast(*constant, DataType::Float32));
    else if (!value.producer)
      cast_input(value);
    else if (value.is_output)
      cast_output(value);
    else
      patch_.set_types.emplace_back(value.name, DataType::Float32);
  }

  [[nodiscard]] static bool is_cast(const Node& node) { return node.op_type == "Cast" && node.domain.empty(); }

  void cast_input(const Value& input) {
    const auto casts = [&](const Use& use) { return use.slot == 0 && is_cast(graph_.node(use.node)); };
    if (std::ranges::all_of(input.uses, casts)) return;
    const std::string wide = names_.fresh(input.name + "_float32");
    patch_.add_nodes.push_back(
        {"Cast", names_.fresh(wide + "_Cast"), {input.name}, {wide}, {to_type(DataType::Float32)}, ""});
    for (const Use& use : input.uses) patch_.rewire.push_back({graph_.node(use.node).name, use.slot, wide});
  }

  void cast_output(const Value& output) {
    const Node& writer = *graph_.producer(output.id);
    if (is_cast(writer)) return;
    const std::string wide = names_.fresh(output.name + "_float32");
    const auto slot = std::ranges::find(writer.outputs, MaybeValue(output.id)) - writer.outputs.begin();
    patch_.rename_outputs.push_back({writer.name, static_cast<int>(slot), wide});
    for (const Use& use : output.uses) patch_.rewire.push_back({graph_.node(use.node).name, use.slot, wide});
    patch_.add_nodes.push_back(
        {"Cast", names_.fresh(wide + "_Cast"), {wide}, {output.name}, {to_type(types_[output.id])}, ""});
  }

  /// Casts to 16 bits become casts to FP32, fills of 16 bits fills of FP32.
  void widen_attributes(const Node& node) {
    if (is_cast(node) && node.output(0) && graph_.value(*node.output(0)).is_output) return;
    for (const Attribute& attribute : node.attributes) {
      if (attribute.name == "to" || attribute.name == "dtype") {
        const auto* type = std::get_if<int64_t>(&attribute.value);
        if (type && (*type == onnx_type_of(DataType::Float16) || *type == onnx_type_of(DataType::BFloat16)))
          patch_.set_attributes.push_back({node.name, {attribute.name, to_type(DataType::Float32).value}});
      } else if (const auto* fill = std::get_if<Tensor>(&attribute.value);
                 fill && is_half(fill->type()) && traits_of(graph_, node).kind != OpKind::Constant) {
        patch_.set_attributes.push_back({node.name, {attribute.name, cast(*fill, DataType::Float32)}});
      }
    }
  }

  const Graph& graph_;
  ValueMap<DataType> types_;
  NameSource names_;
  GraphPatch patch_;
};

}  // namespace

GraphPatch float32(const Graph& graph) { return Widener(graph).run(); }

}  // namespace detent::forms
