#include "equalize/equalize_patch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "detent/base/tensor.h"
#include "equalize/weight_channels.h"
#include "model/constant_editor.h"
#include "ops/traits.h"

namespace detent {

namespace {

/// True when the constant has `channels` numbers along the axis `from_right` of its end, or is broadcast there.
bool has_channels(const Tensor& constant, size_t from_right, size_t channels) {
  const Shape& shape = constant.shape();
  const int64_t extent = from_right < shape.rank() ? shape[shape.rank() - 1 - from_right] : 1;
  return extent == 1 || extent == static_cast<int64_t>(channels);
}

/// Multiplies every element of the constant by the factor of its channel, which the axis `from_right` of its end
/// counts; spreads the constant over the channels where it is broadcast. Computes in double and rounds once to the
/// constant's type. The constant must satisfy has_channels(constant, from_right, factors.size()).
Tensor over_channels(const Tensor& constant, size_t from_right, std::span<const double> factors) {
  const auto channels = static_cast<int64_t>(factors.size());
  std::vector<int64_t> extents(constant.shape().begin(), constant.shape().end());
  while (extents.size() <= from_right) extents.insert(extents.begin(), 1);
  const size_t axis = extents.size() - 1 - from_right;
  const Shape in{std::span<const int64_t>(extents)};
  extents[axis] = channels;
  const Shape out{std::span<const int64_t>(extents)};
  const int64_t outer = in.element_count(0, axis), inner = in.element_count(axis + 1, in.rank());
  const Tensor wide = cast(constant, DataType::Float64);
  const auto values = wide.data<double>();
  Tensor result(DataType::Float64, out);
  const auto target = result.mutable_data<double>();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t i = 0; i < inner; ++i) {
        const int64_t from = (o * in[axis] + (in[axis] == 1 ? 0 : c)) * inner + i;
        target[static_cast<size_t>((o * channels + c) * inner + i)] =
            values[static_cast<size_t>(from)] * factors[static_cast<size_t>(c)];
      }
  return cast(result, constant.type());
}

using Factors = std::vector<float>;

/// Returns the factors of a constant's channels: written / read.
std::vector<double> quotient(const Factors& written, const Factors& read) {
  const size_t count = std::max(written.size(), read.size());
  std::vector<double> result(count, 1.0);
  for (size_t c = 0; c < count; ++c) {
    if (!written.empty()) result[c] *= static_cast<double>(written[c]);
    if (!read.empty()) result[c] /= static_cast<double>(read[c]);
  }
  return result;
}

template <class Factor>
bool all_ones(const std::vector<Factor>& factors) {
  return std::ranges::all_of(factors, [](Factor factor) { return factor == Factor{1}; });
}

/// Builds the patch of an equalization.
class PatchMaker {
 public:
  PatchMaker(const Graph& graph, const Equalization& equalization) : graph_(graph), equalization_(equalization) {
    for (const auto& [name, value] : equalization.values)
      if (!graph.find_value(name)) throw mismatch("value '" + name + "'");
    for (const std::string& name : equalization.activations)
      if (!graph.find_node(name)) throw mismatch("node '" + name + "'");
    for (const auto& [name, slot] : equalization.gates)
      if (!graph.find_node(name)) throw mismatch("node '" + name + "'");
  }

  GraphPatch make() {
    for (const Node& node : graph_.nodes()) visit(node);
    return editor_.take("equalize channels");
  }

 private:
  static Error mismatch(const std::string& what) {
    return {ErrorCode::TableMismatch, "the equalization does not fit the model: there is no " + what + " like that",
            "calibrate again with --equalize"};
  }

  /// Returns the value's entry; nullptr when it has none.
  [[nodiscard]] const EqualizedValue* entry_of(MaybeValue value) const {
    if (!value) return nullptr;
    const auto found = equalization_.values.find(graph_.value(*value).name);
    return found == equalization_.values.end() ? nullptr : &found->second;
  }
  /// Returns the entry of a value that is multiplied itself; nullptr when it stays as it is.
  [[nodiscard]] const EqualizedValue* equalized(MaybeValue value) const {
    const EqualizedValue* entry = entry_of(value);
    return entry && entry->family != EqualizeFamily::Branch ? entry : nullptr;
  }
  [[nodiscard]] Factors factors_of(MaybeValue value) const {
    const EqualizedValue* found = equalized(value);
    return found ? found->factors : Factors{};
  }

  void visit(const Node& node) {
    const Factors read = factors_of(node.input(0)), written = factors_of(node.output(0));
    if (const auto gate = equalization_.gates.find(node.name); gate != equalization_.gates.end())
      return scale_gate(node, gate->second);
    if (std::ranges::binary_search(equalization_.activations, node.name)) return scale_behind(node);
    switch (traits_of(graph_, node).kind) {
      case OpKind::Conv:
      case OpKind::ConvTranspose:
      case OpKind::Gemm:
      case OpKind::MatMul:
        if (const EqualizedValue* entry = entry_of(node.input(0)); entry && entry->family == EqualizeFamily::Branch) {
          if (is_rescalable(graph_, node)) read_branch(node, *entry, written);
          return;
        }
        if (stays(node, read, written)) return;
        if (!read.empty() || !written.empty()) scale_weight(node, read, written);
        return;
      case OpKind::LayerNorm:
      case OpKind::InstanceNorm:
        if (!written.empty())
          for (size_t slot = 1; slot < std::min<size_t>(3, node.inputs.size()); ++slot)
            scale_constant(node, slot, 0, quotient(written, {}));
        return;
      case OpKind::Add:
      case OpKind::Sub:
        for (size_t slot = 0; slot < node.inputs.size(); ++slot)
          if (is_constant(node.inputs[slot]) && !written.empty())
            scale_constant(node, slot, from_right(node), quotient(written, {}));
        return;
      case OpKind::Mul:
      case OpKind::Div: return scale_product(node);
      default: return;
    }
  }

  [[nodiscard]] const std::string& written_by(const Node& node) const { return graph_.value(*node.output(0)).name; }
  [[nodiscard]] bool is_constant(MaybeValue value) const { return graph_.constant(value) != nullptr; }

  /// Returns the axis of the channels of the node's output, counted from the end of its shape.
  [[nodiscard]] size_t from_right(const Node& node) const {
    for (const MaybeValue value : {node.output(0), node.input(0), node.input(1)})
      if (const EqualizedValue* found = equalized(value)) return static_cast<size_t>(found->from_right);
    return 0;
  }

  /// Gives the constant of x * constant or x / constant the quotient of the factors of the product and of x.
  void scale_product(const Node& node) {
    for (const size_t slot : {size_t{1}, size_t{0}}) {
      if (!is_constant(node.input(slot))) continue;
      const Factors read = factors_of(node.input(1 - slot)), written = factors_of(node.output(0));
      const bool divides = traits_of(graph_, node).kind == OpKind::Div;
      const std::vector<double> factors = divides ? quotient(read, written) : quotient(written, read);
      if (!factors.empty() && !all_ones(factors)) scale_constant(node, slot, from_right(node), factors);
      return;
    }
  }

  /// True where there is no weight to scale, and none is needed: channels that are read and written are left as they
  /// were, or a product of two activations (attention's weighted sum of values) has the factors of its second operand,
  /// which was scaled.
  [[nodiscard]] bool stays(const Node& node, const Factors& read, const Factors& written) const {
    const bool averages = traits_of(graph_, node).kind == OpKind::MatMul && !is_constant(node.input(1));
    return !is_rescalable(graph_, node) && all_ones(read) && (averages || all_ones(written));
  }

  void scale_weight(const Node& node, const Factors& read, const Factors& written) {
    if (!is_rescalable(graph_, node)) throw mismatch("weighted op '" + node.name + "'");
    editor_.replace(node, 1, rescaled_weight(graph_, node, read, written), written_by(node) + "_weight");
    if (!written.empty() && node.input(2)) scale_constant(node, 2, 0, quotient(written, {}));
  }

  void scale_constant(const Node& node, size_t slot, size_t axis_from_right, const std::vector<double>& factors) {
    const Tensor* constant = graph_.constant(node.input(slot));
    if (!constant) return;
    if (!has_channels(*constant, axis_from_right, factors.size()))
      throw mismatch("constant '" + graph_.value(*node.input(slot)).name + "'");
    editor_.replace(node, slot, over_channels(*constant, axis_from_right, factors),
                    written_by(node) + "_operand" + std::to_string(slot));
  }

  /// Gives the gate of a product x * gate the quotient of the factors of the product and of x.
  void scale_gate(const Node& node, int32_t slot) {
    if (node.inputs.size() != 2 || slot < 0 || slot > 1) throw mismatch("product '" + node.name + "'");
    const ValueId x = *node.input(1 - slot), gate = *node.input(slot);
    const std::vector<double> factors = quotient(factors_of(node.output(0)), factors_of(x));
    if (factors.empty() || all_ones(factors)) return;
    const std::string& name = graph_.value(gate).name;
    const std::string scaled = editor_.names().fresh(name + "_equalized");
    multiply(name, scaled, factors, from_right(node), type_around(node));
    editor_.patch().rewire.push_back({node.name, slot, scaled});
  }

  /// Lets the layer read the branch of its data: a Mul that the layers share and nothing else reads.
  void read_branch(const Node& node, const EqualizedValue& branch, const Factors& written) {
    const std::string& name = graph_.value(*node.input(0)).name;
    const auto [entry, fresh] = branches_.try_emplace(name);
    if (fresh) {
      entry->second = editor_.names().fresh(name + "_equalized");
      multiply(name, entry->second, quotient(branch.factors, {}), static_cast<size_t>(branch.from_right),
               graph_.constant(node.input(1))->type());
    }
    editor_.patch().rewire.push_back({node.name, 0, entry->second});
    scale_weight(node, branch.factors, written);
  }

  /// Lets the activation write a new value, and a Mul behind it the old one.
  void scale_behind(const Node& node) {
    const Factors written = factors_of(node.output(0));
    if (written.empty()) return;
    const std::string& name = written_by(node);
    const std::string plain = editor_.names().fresh(name + "_plain");
    editor_.patch().rename_outputs.push_back({node.name, 0, plain});
    multiply(plain, name, quotient(written, {}), from_right(node), type_around(node));
  }

  /// Adds a Mul of a value by one factor a channel, which the axis `from_right` of its end counts.
  void multiply(const std::string& from, const std::string& to, const std::vector<double>& factors, size_t from_right,
                DataType type) {
    std::vector<int64_t> extents(from_right + 1, 1);  // broadcast in front of the channels
    extents.front() = std::ssize(factors);
    const Tensor wide =
        Tensor::from<double>(Shape{std::span<const int64_t>(extents)}, std::span<const double>(factors));
    const std::string constant = editor_.names().fresh(to + "_factors");
    editor_.patch().add_initializers.emplace_back(constant, cast(wide, type));
    editor_.patch().add_nodes.push_back(
        {"Mul", editor_.names().fresh(to + "_equalize"), {from, constant}, {to}, {}, ""});
  }

  /// Returns the type of the weights around, which is that of the values; the graph need not declare it.
  [[nodiscard]] DataType type_around(const Node& product) const {
    for (const Use& use : graph_.value(*product.output(0)).uses) {
      const Node& reader = graph_.node(use.node);
      if (is_rescalable(graph_, reader)) return graph_.constant(reader.input(1))->type();
    }
    for (const Node& node : graph_.nodes())
      if (is_rescalable(graph_, node)) return graph_.constant(node.input(1))->type();
    return DataType::Float32;
  }

  const Graph& graph_;
  const Equalization& equalization_;
  ConstantEditor editor_{graph_};
  std::map<std::string, std::string> branches_;  // value -> output of the Mul behind it
};

}  // namespace

GraphPatch make_equalize_patch(const Graph& graph, const Equalization& equalization) {
  return PatchMaker(graph, equalization).make();
}

}  // namespace detent
