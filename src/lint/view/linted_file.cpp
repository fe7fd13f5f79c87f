#include "lint/view/linted_file.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// Operators that make booleans or integers, whatever they read. Source: ONNX docs/Operators.md.
constexpr std::array<std::string_view, 21> kNoFloats{"Shape",
                                                     "Size",
                                                     "NonZero",
                                                     "ArgMax",
                                                     "ArgMin",
                                                     "Equal",
                                                     "Less",
                                                     "LessOrEqual",
                                                     "Greater",
                                                     "GreaterOrEqual",
                                                     "Not",
                                                     "And",
                                                     "Or",
                                                     "Xor",
                                                     "IsNaN",
                                                     "IsInf",
                                                     "Unique",
                                                     "BitShift",
                                                     "StringNormalizer",
                                                     "QuantizeLinear",
                                                     "NonMaxSuppression"};

DataType float_or_undefined(DataType type) { return is_floating_point(type) ? type : DataType::Undefined; }

/// The slot whose type a node's first output has.
size_t typing_slot(const Node& node) {
  if (node.op_type == "Where" || node.op_type == "DequantizeLinear") return 1;
  return node.op_type == "OneHot" ? 2 : 0;
}

class TypeReader {
 public:
  explicit TypeReader(const Graph& graph) : graph_(graph), types_(graph.values().size(), DataType::Undefined) {}

  std::vector<DataType> run() {
    for (const Value& value : graph_.values())
      if (value.declared_type) at(value.id) = float_or_undefined(*value.declared_type);
    for (const Node& node : graph_.nodes())
      for (size_t i = 0; i < node.outputs.size(); ++i)
        if (const ValueId output = node.outputs[i]; output != kNoValue && !graph_.value(output).declared_type)
          at(output) = made_by(node, i);
    return std::move(types_);
  }

 private:
  DataType& at(ValueId value) { return types_[static_cast<size_t>(value)]; }

  DataType made_by(const Node& node, size_t slot) {
    const bool indices = slot > 0 && (node.op_type == "MaxPool" || node.op_type == "TopK" || node.op_type == "Dropout");
    if (!node.domain.empty() || indices || std::ranges::count(kNoFloats, std::string_view(node.op_type)) > 0)
      return DataType::Undefined;
    for (const char* attribute : {"to", "dtype", "output_dtype"})
      if (const int64_t type = node.int_or(attribute, 0); type != 0)
        return float_or_undefined(data_type_from_onnx(type));
    if (node.op_type == "ConstantOfShape") {
      const Tensor* filling = node.tensor("value");
      return filling ? float_or_undefined(filling->type()) : DataType::Float32;
    }
    const ValueId source = node.input(typing_slot(node));
    return source == kNoValue ? DataType::Undefined : at(source);
  }

  const Graph& graph_;
  std::vector<DataType> types_;
};

}  // namespace

LintedFile::LintedFile(const Graph& file) : graph(file), types(TypeReader(file).run()) {}

bool LintedFile::holds_half() const {
  return std::ranges::any_of(graph.nodes(), [&](const Node& node) {
    const OpKind kind = traits_of(graph, node).kind;
    if (kind == OpKind::QuantizeLinear || kind == OpKind::DequantizeLinear) return false;
    return std::ranges::any_of(node.outputs, [&](ValueId output) { return is_half(type_of(output)); });
  });
}

std::string_view short_name(DataType type) {
  if (type == DataType::Float16) return "FP16";
  if (type == DataType::BFloat16) return "BF16";
  return type == DataType::Float32 ? "FP32" : name_of(type);
}

}  // namespace detent
