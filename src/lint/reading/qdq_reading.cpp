#include "lint/reading/qdq_reading.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "lint/reading/qdq_tracer.h"
#include "model/name_source.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {
namespace {

bool is_codes(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8 || type == DataType::Int16 || type == DataType::UInt16 ||
         type == DataType::Int4 || type == DataType::UInt4 || type == DataType::Float8E4M3FN;
}

/// Operators between a QuantizeLinear and the DequantizeLinear of its codes, at most.
constexpr int kMostBetween = 8;

/// Reads the pairs of a graph and builds the patch that removes them.
class QdqReader : QdqTracer {
 public:
  explicit QdqReader(const Graph& graph) : QdqTracer(graph), graph_(graph), names_(graph), types_(value_types(graph)) {}

  QdqReading run() {
    reading_.nodes = nodes();
    if (reading_.nodes.empty()) return std::move(reading_);
    reading_.float_patch.reason = "take the Q/DQ pairs away";
    find_makers_of_codes();
    for (const Node& node : graph_.nodes())
      if (kind(node) != OpKind::DequantizeLinear) read_inputs(node);
    for (const ValueId output : graph_.outputs()) read_outside(output);
    for (const Value& value : graph_.values())
      if (!value.is_output && has_reader_in_body(value)) read_outside(value.id);
    find_roles();
    find_computed();
    remove_unread();
    return std::move(reading_);
  }

 private:
  static bool has_reader_in_body(const Value& value) {
    return std::ranges::any_of(value.uses, [](const Use& use) { return use.slot < 0; });
  }

  void read_inputs(const Node& node) {
    if (copies_codes(node)) return read_copy(node);
    for (size_t slot = 0; slot < node.inputs.size(); ++slot) {
      if (!node.inputs[slot]) continue;
      const Trace trace = trace_operand(node, slot);
      if (!trace.quantized() && trace.source == node.inputs[slot] && !trace.constant) continue;
      record(node, static_cast<int>(slot), trace);
    }
  }

  [[nodiscard]] Trace trace_operand(const Node& node, size_t slot) const {
    const MaybeValue value = node.inputs[slot];
    const OpTraits& traits = traits_of(graph_, node);
    const bool multiplies = traits.weight_slot >= 0;
    if (multiplies && (slot < 2)) {
      std::vector<size_t> axes;
      const ValueId below = climb_transposes(*value, axes);
      Trace trace = trace_value(below);
      if (trace.constant && trace.dequantize >= 0 && (axes.empty() || trace.axes.empty())) {
        if (!axes.empty()) trace.axes = axes;
        return trace;
      }
      const Tensor* tensor = constant(value);
      if (tensor && is_codes(tensor->type())) return {.source = *value, .constant = true};
    }
    if (is(producer(value), OpKind::QuantizeLinear) && reads_floats(node))
      return trace_codes(*value, CastInFront::OfModel);
    return trace_value(*value);
  }

  /// True for an operator of ONNX that should not read codes. One whose result is dequantized computes with codes.
  [[nodiscard]] bool reads_floats(const Node& node) const {
    const OpKind k = kind(node);
    return node.domain.empty() && !copies(node) && !joins(node) && !makes_codes_[node.id] && k != OpKind::QOperator &&
           k != OpKind::Cast && k != OpKind::ShapeOf && k != OpKind::QuantizeLinear && k != OpKind::DequantizeLinear;
  }

  /// Finds the nodes whose results, through nodes without weights, a DequantizeLinear reads as codes.
  void find_makers_of_codes() {
    makes_codes_ = NodeMap<bool>(graph_.nodes().size(), false);
    for (const Node& node : graph_.nodes() | std::views::reverse) {  // readers before the producer
      if (traits_of(graph_, node).weight_slot >= 0) continue;
      const auto takes_codes = [&](const Use& use) {
        if (use.slot < 0) return false;
        const OpKind reader = kind(graph_.node(use.node));
        return reader == OpKind::DequantizeLinear ? use.slot == 0
                                                  : reader != OpKind::QuantizeLinear && makes_codes_[use.node];
      };
      makes_codes_[node.id] = std::ranges::any_of(present(node.outputs), [&](ValueId output) {
        return std::ranges::any_of(graph_.value(output).uses, takes_codes);
      });
    }
  }

  void read_copy(const Node& node) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i]) continue;
      const std::string& name = renamed_[*node.outputs[i]] =
          names_.fresh(graph_.value(*node.outputs[i]).name + "_float");
      reading_.float_patch.rename_outputs.push_back({node.name, static_cast<int>(i), name});
    }
    const size_t codes = joins(node) ? node.inputs.size() : 1;
    for (size_t slot = 0; slot < codes; ++slot)
      record(node, static_cast<int>(slot), trace_codes(*node.inputs[slot], CastInFront::OfModel));
    if (kind(node) == OpKind::Pad && node.input(2)) pad_with_zero(node);
  }

  /// Gives a Pad of codes, which is one of floats now, a 0 of its type.
  void pad_with_zero(const Node& pad) {
    std::string name = names_.fresh(graph_.value(*pad.input(2)).name + "_float");
    reading_.float_patch.add_initializers.emplace_back(name, Tensor::from<float>({}, {0.0F}));
    reading_.float_patch.rewire.push_back({pad.name, 2, name});
    rewired_.insert({pad.id, 2});
  }

  void record(const Node& node, int slot, const Trace& trace) {
    if (kind(node) != OpKind::QuantizeLinear)
      reading_.operands.push_back(
          {node.name, slot, trace.quantize, trace.dequantize, trace.constant, trace.axes, trace.cast, trace.first});
    const MaybeValue value = node.input(slot);
    if (trace.source == value && !trace.constant && !renamed_.contains(*value)) return;
    rewired_.insert({node.id, slot});
    reading_.float_patch.rewire.push_back({node.name, slot, name_in_type(trace, *value)});
    if (!trace.constant && !renamed_.contains(trace.source)) ++new_readers_[trace.source];
  }

  /// Returns the type that a source has without pairs. A copy of codes is one of what its QuantizeLinear reads.
  [[nodiscard]] DataType float_type(ValueId source) const {
    return types_[renamed_.contains(source) ? *top_of_codes(source)->input(0) : source];
  }

  /// Returns the type that a pair makes of its source; Undefined where it has the source's own.
  [[nodiscard]] DataType type_behind_pair(const Trace& trace, ValueId read) const {
    if (trace.constant || trace.dequantize < 0) return DataType::Undefined;
    return float_type(trace.source) == types_[read] ? DataType::Undefined : types_[read];
  }

  static Attribute to_type(DataType type) { return {"to", static_cast<int64_t>(onnx_type_of(type))}; }

  /// Returns the value that holds the source in the type of what is read: a Cast stands for a pair that changes the
  /// type, as one with scales of FP32 and FP16 does, or that of an INT32 value.
  std::string name_in_type(const Trace& trace, ValueId read) {
    std::string source = name_of_source(trace);
    const DataType type = type_behind_pair(trace, read);
    if (type == DataType::Undefined) return source;
    std::string& name = casts_[{trace.source, type}];
    if (!name.empty()) return name;
    name = names_.fresh(source + "_" + std::string(name_of(type)));
    reading_.float_patch.add_nodes.push_back(
        {"Cast", names_.fresh("Cast_" + name), {std::move(source)}, {name}, {to_type(type)}, ""});
    return name;
  }

  std::string name_of_source(const Trace& trace) {
    if (const auto renamed = renamed_.find(trace.source); renamed != renamed_.end()) return renamed->second;
    const Tensor* tensor = trace.constant ? constant(trace.source) : nullptr;
    const bool is_float = tensor && !is_codes(tensor->type()) && tensor->type() != DataType::Int32;
    const bool stays = is_float && trace.axes.empty() && (!is_half(trace.type) || tensor->type() == trace.type);
    if (!tensor || stays) return graph_.value(trace.source).name;
    std::string& name = placeholders_[{trace.source, trace.axes}];
    if (!name.empty()) return name;
    std::vector<int64_t> extents;
    for (size_t i = 0; i < tensor->shape().rank(); ++i)
      extents.push_back(tensor->shape()[trace.axes.empty() ? i : trace.axes[i]]);
    Tensor zeros(is_float && !is_half(trace.type) ? tensor->type() : trace.type,
                 Shape(std::span<const int64_t>(extents)));
    std::fill_n(static_cast<std::byte*>(zeros.mutable_raw()), zeros.byte_count(), std::byte{0});
    name = names_.fresh(graph_.value(trace.source).name + "_float");
    reading_.float_patch.add_initializers.emplace_back(name, std::move(zeros));
    return name;
  }

  /// Lets a graph output, or a value that bodies of If and Loop read, hold what its pair stands for. Bodies read
  /// constants through their DequantizeLinear.
  void read_outside(ValueId output) {
    const Node* node = producer(output);
    const Trace trace = trace_value(output);
    if (!node || trace.dequantize < 0 || trace.source == output || trace.constant) return;
    reading_.operands.push_back({node->name, 0, trace.quantize, trace.dequantize, false, {}, trace.cast, trace.first});
    reading_.float_patch.remove_nodes.push_back(node->name);
    replaced_.insert(node->id);
    const DataType type = type_behind_pair(trace, output);
    NodeSpec stand_in{"Identity", node->name, {name_of_source(trace)}, {graph_.value(output).name}, {}, ""};
    if (type != DataType::Undefined) stand_in.op_type = "Cast", stand_in.attributes = {to_type(type)};
    reading_.float_patch.add_nodes.push_back(std::move(stand_in));
    if (!renamed_.contains(trace.source)) ++new_readers_[trace.source];
  }

  void set_role(int index, QdqRole role) {
    if (index < 0) return;
    QdqNode& node = reading_.nodes[static_cast<size_t>(index)];
    node.role = node.codes == DataType::Int32 ? QdqRole::Bias : role;
  }

  /// Finds roles: a constant is a bias when it is read as one or holds INT32, a weight when a weighted operator
  /// multiplies by it.
  void find_roles() {
    for (const Value& value : graph_.values()) {
      if (!has_reader_in_body(value)) continue;
      const Trace& trace = trace_value(value.id);
      for (const int i : {trace.quantize, trace.dequantize})
        if (trace.constant) set_role(i, QdqRole::Constant);
    }
    for (const QuantizedOperand& operand : reading_.operands) {
      if (!operand.constant) continue;
      const OpTraits& traits = traits_of(graph_, graph_.node(*graph_.find_node(operand.node)));
      const bool bias = operand.slot == traits.bias_slot && traits.bias_slot >= 0;
      const QdqRole role = bias ? QdqRole::Bias : traits.weight_slot >= 0 ? QdqRole::Weight : QdqRole::Constant;
      for (const int i : {operand.quantize, operand.dequantize}) set_role(i, role);
    }
  }

  /// Finds the operators that keep a DequantizeLinear from being a half of a pair.
  void find_computed() {
    const auto reads_codes = [&](const Node& node) {
      return std::ranges::any_of(present(node.inputs), [&](ValueId input) { return top_of_codes(input) != nullptr; });
    };
    const auto computes = [&](const Node* node) {
      const OpKind k = node ? kind(*node) : OpKind::QuantizeLinear;
      return k != OpKind::QuantizeLinear && k != OpKind::DequantizeLinear && k != OpKind::QOperator;
    };
    for (const Node& node : graph_.nodes()) {
      if (kind(node) != OpKind::DequantizeLinear || is_whole(node)) continue;
      const Node* maker = producer(node.input(0));
      for (int left = kMostBetween; left > 0 && computes(maker) && !reads_codes(*maker); --left)
        maker = producer(maker->input(0));
      if (computes(maker) && reads_codes(*maker))
        reading_.computed.push_back({maker->name, maker->op_type, index(node)});
    }
  }

  /// Removes nodes that nothing reads any more, from the outputs back: pairs, and the Casts, Clips and Transposes
  /// beside them.
  void remove_unread() {
    std::set<NodeId> removed = replaced_;
    for (const Node& node : graph_.nodes() | std::views::reverse) {
      const OpKind k = kind(node);
      const bool candidate = k == OpKind::QuantizeLinear || k == OpKind::DequantizeLinear || k == OpKind::Cast ||
                             k == OpKind::Transpose || k == OpKind::Clip;
      if (!candidate || replaced_.contains(node.id) || is_read(node, removed)) continue;
      removed.insert(node.id);
      reading_.float_patch.remove_nodes.push_back(node.name);
    }
    std::erase_if(reading_.operands, [&](const QuantizedOperand& operand) {
      const MaybeNode node = graph_.find_node(operand.node);
      return removed.contains(*node) && !replaced_.contains(*node);
    });
  }

  [[nodiscard]] bool is_read(const Node& node, const std::set<NodeId>& removed) const {
    const Value& value = graph_.value(*node.output(0));
    if (value.is_output || new_readers_.contains(value.id) || renamed_.contains(value.id)) return true;
    if (value.uses.empty()) return !is_qdq(graph_, node);  // an unread node of the original file
    return std::any_of(value.uses.begin(), value.uses.end(), [&](const Use& use) {
      return use.slot < 0 || (!removed.contains(use.node) && !rewired_.contains({use.node, use.slot}));
    });
  }

  const Graph& graph_;
  NameSource names_;
  QdqReading reading_;
  ValueMap<DataType> types_;
  NodeMap<bool> makes_codes_;  // see find_makers_of_codes()
  std::map<ValueId, std::string> renamed_;
  std::map<std::pair<ValueId, std::vector<size_t>>, std::string> placeholders_;
  std::map<std::pair<ValueId, DataType>, std::string> casts_;
  std::map<ValueId, int> new_readers_;
  std::set<std::pair<NodeId, int>> rewired_;
  std::set<NodeId> replaced_;
};

}  // namespace

CodeType QdqReading::type() const {
  const auto counts = [](const QdqNode& node) { return node.role != QdqRole::Bias; };
  const auto fp8 = [&](const QdqNode& node) { return counts(node) && node.codes == DataType::Float8E4M3FN; };
  if (2 * std::ranges::count_if(nodes, fp8) > std::ranges::count_if(nodes, counts)) return CodeType::Fp8;
  const auto activation = [](const QdqNode& node) { return node.role == QdqRole::Activation; };
  const auto wide = [&](const QdqNode& node) { return activation(node) && is_wide(node); };
  return 2 * std::ranges::count_if(nodes, wide) > std::ranges::count_if(nodes, activation) ? CodeType::A16W8
                                                                                           : CodeType::Int8;
}

QdqReading read_qdq(const Graph& graph) { return QdqReader(graph).run(); }

}  // namespace detent
