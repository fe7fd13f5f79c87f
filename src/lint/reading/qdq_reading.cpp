#include "lint/reading/qdq_reading.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>

#include "core/float_type.h"
#include "core/onnx_type.h"
#include "lint/reading/qdq_node.h"
#include "model/name_source.h"
#include "ops/clip_bounds.h"
#include "ops/traits.h"
#include "ops/value_types.h"

namespace detent {
namespace {

bool is_codes(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8 || type == DataType::Int16 || type == DataType::UInt16 ||
         type == DataType::Int4 || type == DataType::UInt4 || type == DataType::Float8E4M3FN;
}

bool is_integer(DataType type) {
  return !is_floating_point(type) && type != DataType::Bool && type != DataType::Undefined;
}

/// Operators between a QuantizeLinear and the DequantizeLinear of its codes, at most.
constexpr int kMostBetween = 8;

/// The origin of a value once the pairs are removed.
struct Trace {
  ValueId source{};
  int quantize = -1, dequantize = -1;
  bool constant = false;
  bool cast = false;                  ///< see QuantizedOperand
  int first = -1;                     ///< see QuantizedOperand
  std::vector<size_t> axes;           ///< see QuantizedOperand
  DataType type = DataType::Float32;  ///< type of the floats that a constant of codes represents
  [[nodiscard]] bool quantized() const { return quantize >= 0 || dequantize >= 0; }
};

/// The owner of a Cast in front of a QuantizeLinear.
enum class CastInFront : uint8_t { OfModel, OfPair };

/// Reads the pairs of a graph and builds the patch that removes them.
class QdqReader {
 public:
  explicit QdqReader(const Graph& graph)
      : graph_(graph), names_(graph), types_(value_types(graph)), index_(graph.nodes().size(), -1) {}

  QdqReading run() {
    for (const Node& node : graph_.nodes()) {
      if (!is_qdq(graph_, node)) continue;
      index_[node.id] = static_cast<int>(reading_.nodes.size());
      reading_.nodes.push_back(describe_qdq(graph_, node));
    }
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
  [[nodiscard]] OpKind kind(const Node& node) const { return traits_of(graph_, node).kind; }
  [[nodiscard]] bool is(const Node* node, OpKind wanted) const { return node && kind(*node) == wanted; }
  [[nodiscard]] const Node* producer(MaybeValue value) const { return graph_.producer(value); }
  [[nodiscard]] int index(const Node& node) const { return index_[node.id]; }
  [[nodiscard]] const Tensor* constant(MaybeValue value) const { return readable_constant(graph_, value); }
  /// True for an operator whose output, of codes or floats, holds elements of its input. Codes stand for other numbers
  /// behind a Pad with another code than their zero point.
  [[nodiscard]] bool copies(const Node& node) const { return keeps_elements(traits_of(graph_, node)); }
  [[nodiscard]] bool joins(const Node& node) const { return kind(node) == OpKind::Concat; }
  /// True for a copy of codes that is one of floats where the pair is taken away.
  [[nodiscard]] bool copies_codes(const Node& node) const {
    return top_of_codes(node.output(0)) && (copies(node) || joins(node));
  }

  /// True when copies, Concats, Casts and Clips of codes and DequantizeLinear alone read the codes, here and behind
  /// such nodes.
  [[nodiscard]] bool only_dequantized(ValueId codes) const {
    const auto known = only_dequantized_.find(codes);
    if (known != only_dequantized_.end()) return known->second;
    const Value& value = graph_.value(codes);
    const bool only = !value.is_output && std::ranges::all_of(value.uses, [&](const Use& use) {
      if (use.slot < 0) return false;
      const Node& reader = graph_.node(use.node);
      if (use.slot == 0 && kind(reader) == OpKind::DequantizeLinear) return true;
      const bool passes = joins(reader) || (use.slot == 0 && (copies(reader) || changes_codes(reader)));
      return passes &&
             std::ranges::all_of(present(reader.outputs), [&](ValueId output) { return only_dequantized(output); });
    });
    return only_dequantized_[codes] = only;
  }

  static DataType cast_to(const Node& cast) { return data_type_from_onnx(cast.int_or("to", 1)); }

  /// True for a Cast to integers.
  [[nodiscard]] bool casts_codes(const Node& node) const {
    return kind(node) == OpKind::Cast && is_integer(cast_to(node));
  }

  /// True for a part of a pair that no float graph has.
  [[nodiscard]] bool changes_codes(const Node& node) const { return casts_codes(node) || clips_codes(graph_, node); }

  /// Returns the value before the Casts and Clips that write `codes`.
  [[nodiscard]] ValueId before_changes(ValueId codes) const {
    while (const Node* node = producer(codes)) {
      if (!changes_codes(*node)) break;
      codes = *node->input(0);
    }
    return codes;
  }

  /// Returns a QuantizeLinear whose codes `value` holds, possibly behind copies, Concats, Casts and Clips of codes;
  /// nullptr when there is none, when the codes of a Concat have several meanings, or when other nodes than those and
  /// DequantizeLinear read the codes on the way.
  [[nodiscard]] const Node* top_of_codes(MaybeValue value) const {
    if (!value) return nullptr;
    const auto known = tops_.find(*value);
    if (known != tops_.end()) return known->second;
    return tops_[*value] = find_top(*value);
  }

  [[nodiscard]] const Node* find_top(ValueId value) const {
    const Node* node = producer(value);
    if (is(node, OpKind::QuantizeLinear)) return node;
    if (!node || !(copies(*node) || joins(*node) || changes_codes(*node))) return nullptr;
    const Node* top = top_of_codes(node->input(0));  // known by now: nodes are read in execution order
    if (!top || !std::ranges::all_of(present(node->outputs), [&](ValueId output) { return only_dequantized(output); }))
      return nullptr;
    if (kind(*node) == OpKind::Pad && !pads_with_zero_point(*node, *top)) return nullptr;
    if (kind(*node) == OpKind::Clip && !leaves_zero(*node, *top)) return nullptr;
    const auto alike = [&](ValueId input) {
      const Node* other = top_of_codes(input);
      return other && same_grid(pair(*other), pair(*top));
    };
    return !joins(*node) || std::ranges::all_of(present(node->inputs), alike) ? top : nullptr;
  }

  [[nodiscard]] const QdqNode& pair(const Node& node) const { return reading_.nodes[static_cast<size_t>(index(node))]; }

  /// True for a Clip of codes that leaves 0 as it is. A range without 0 is none of a pair.
  [[nodiscard]] bool leaves_zero(const Node& clip, const Node& top) const {
    const ClipBounds bounds = *clip_bounds(graph_, clip);
    const auto stays = [&](int64_t point) {
      return bounds.low() <= static_cast<float>(point) && static_cast<float>(point) <= bounds.high();
    };
    const std::vector<int64_t>& points = pair(top).zero_points;
    return points.empty() ? stays(0) : std::ranges::all_of(points, stays);
  }

  /// True for a Pad whose code stands for 0. read_copy() gives it a 0 of floats.
  [[nodiscard]] bool pads_with_zero_point(const Node& pad, const Node& top) const {
    if (pad.string_or("mode", "constant") != "constant") return true;
    if (pad.has("value") || pair(top).zero_points.size() > 1) return false;  // a float attribute of opset 10 and below
    const int64_t point = pair(top).zero_points.empty() ? 0 : pair(top).zero_points.front();
    if (!pad.input(2)) return point == 0;
    const Tensor* code = constant(pad.input(2));
    return code && code->element_count() == 1 && cast(*code, DataType::Int64).data<int64_t>()[0] == point;
  }

  static bool has_reader_in_body(const Value& value) {
    return std::ranges::any_of(value.uses, [](const Use& use) { return use.slot < 0; });
  }

  /// True for a DequantizeLinear of a constant or of a whole pair: readers can read what it stands for.
  [[nodiscard]] bool is_whole(const Node& dequantize) const {
    return constant(transposed_from(*dequantize.input(0))) || top_of_codes(dequantize.input(0));
  }

  [[nodiscard]] ValueId transposed_from(ValueId value) const {
    while (is(producer(value), OpKind::Transpose)) value = *producer(value)->input(0);
    return value;
  }

  /// Goes up through Transposes, composing `axes`.
  ValueId climb_transposes(ValueId value, std::vector<size_t>& axes) const {
    std::vector<std::vector<int64_t>> climbed;
    for (; is(producer(value), OpKind::Transpose); value = *producer(value)->input(0))
      climbed.push_back(producer(value)->ints_or("perm", {}));
    if (climbed.empty()) return value;
    size_t rank = axes.size();
    if (const Tensor* tensor = constant(value)) rank = tensor->shape().rank();
    for (const auto& perm : climbed) rank = std::max(rank, perm.size());
    if (axes.empty()) {
      axes.resize(rank);
      std::iota(axes.begin(), axes.end(), size_t{0});
    }
    for (const auto& perm : climbed)
      for (size_t& axis : axes) axis = perm.size() == rank ? static_cast<size_t>(perm[axis]) : rank - 1 - axis;
    return value;
  }

  /// True when a Cast changes the type of the codes; a Cast to the same type does not disturb an engine.
  [[nodiscard]] bool has_cast(ValueId codes, const Node& top) const {
    const DataType type = pair(top).codes;
    for (const Node* node = producer(codes); node && kind(*node) != OpKind::QuantizeLinear;
         node = producer(node->input(0)))
      if (casts_codes(*node) && cast_to(*node) != type) return true;
    return false;
  }

  [[nodiscard]] Trace trace_codes(ValueId codes, CastInFront cast) const {
    Trace trace;
    std::vector<size_t> axes;
    const ValueId below = climb_transposes(codes, axes);
    if (const Tensor* tensor = constant(below); tensor && (axes.empty() || axes.size() == tensor->shape().rank()))
      return {.source = below, .constant = true, .axes = axes};
    const Node* top = top_of_codes(codes);
    if (!top) return {.source = codes};
    const ValueId written = before_changes(codes);
    const bool casts = has_cast(codes, *top);
    if (top != producer(written))
      return {.source = written, .quantize = index(*top), .cast = casts, .first = index(*top)};  // written by a copy
    ValueId input = *top->input(0);
    // Casts on both sides of a pair belong to it: an FP16 value with an FP32 scale.
    if (cast == CastInFront::OfPair && is(producer(input), OpKind::Cast)) input = *producer(input)->input(0);
    trace = trace_value(input);
    trace.constant = trace.constant || constant(trace.source);
    if (trace.first < 0) trace.first = index(*top);
    trace.quantize = index(*top);
    trace.dequantize = -1;
    trace.cast = casts;
    return trace;
  }

  /// Returns the origin of `value` once the pairs are removed: the value, not quantized, when no DequantizeLinear
  /// writes it. Results are kept and nodes are read in execution order, so a chain of pairs is never followed beyond
  /// the previous pair.
  [[nodiscard]] const Trace& trace_value(ValueId value) const {
    const auto known = traces_.find(value);
    return known != traces_.end() ? known->second : traces_.emplace(value, trace_anew(value)).first->second;
  }

  [[nodiscard]] Trace trace_anew(ValueId value) const {
    const Node* node = producer(value);
    DataType type = DataType::Undefined;
    // A Cast to integers or truth values is one of the model.
    if (is(node, OpKind::Cast) && is_floating_point(cast_to(*node)) &&
        is(producer(node->input(0)), OpKind::DequantizeLinear)) {
      type = cast_to(*node);
      node = producer(node->input(0));
    }
    if (!is(node, OpKind::DequantizeLinear)) return {.source = value};
    if (!is_whole(*node)) return {.source = value, .dequantize = index(*node)};
    Trace trace =
        trace_codes(*node->input(0), type != DataType::Undefined ? CastInFront::OfPair : CastInFront::OfModel);
    trace.dequantize = index(*node);
    const DataType scale = pair(*node).scale_type;
    trace.type = type != DataType::Undefined ? type : is_half(scale) ? scale : DataType::Float32;
    return trace;
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
  mutable std::map<ValueId, Trace> traces_;  // of trace_value()
  mutable std::map<ValueId, bool> only_dequantized_;
  mutable std::map<ValueId, const Node*> tops_;
  ValueMap<DataType> types_;
  NodeMap<int> index_;         // into reading_.nodes
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
