#include "rewrite/qdq_inserter.h"

#include <algorithm>
#include <set>

#include "model/tensor_proto.h"

namespace detent {

namespace {

bool is_float(DataType type) {
  return type == DataType::Float32 || type == DataType::Float16 || type == DataType::Float64 ||
         type == DataType::BFloat16;
}

/// Floating-point type of every value: what the file declares, else the type of the node's first float operand; Float32
/// where nothing tells. Operators that convert say so in `to` or `dtype`.
std::vector<DataType> float_types(const Graph& graph) {
  std::vector<DataType> types;
  for (const Value& value : graph.values()) types.push_back(value.declared_type.value_or(DataType::Undefined));
  const auto at = [&](ValueId id) -> DataType& { return types[static_cast<size_t>(id)]; };
  for (const Node& node : graph.nodes()) {
    DataType type = DataType::Undefined;
    for (const char* attribute : {"to", "dtype"})
      if (node.has(attribute)) type = data_type_from_onnx(static_cast<int32_t>(node.int_or(attribute, 0)));
    for (const ValueId input : node.inputs)
      if (type == DataType::Undefined && input != kNoValue && is_float(at(input))) type = at(input);
    for (const ValueId output : node.outputs)
      if (output != kNoValue && at(output) == DataType::Undefined) at(output) = type;
  }
  for (DataType& type : types)
    if (!is_float(type)) type = DataType::Float32;
  return types;
}

/// Scale and zero point as they stand in the graph: scalars for one scale, 1-D for one per channel.
Tensor scale_tensor(const QParams& qparams, DataType type) {
  const Shape shape = qparams.axis < 0 ? Shape{} : Shape{static_cast<int64_t>(qparams.scale.size())};
  return cast(Tensor::from<float>(shape, qparams.scale), type);
}

Tensor zero_point_tensor(const QParams& qparams) {
  const Shape shape = qparams.axis < 0 ? Shape{} : Shape{static_cast<int64_t>(qparams.zero_point.size())};
  return cast(Tensor::from<int32_t>(shape, qparams.zero_point), qparams.type);
}

/// Codes of a constant activation.
Tensor quantize_constant(const Tensor& tensor, const QParams& qparams) {
  const Tensor values = cast(tensor, DataType::Float32);
  Tensor codes(DataType::Int32, tensor.shape());
  const CodeRange range = code_range(qparams.type);
  for (size_t i = 0; i < values.data<float>().size(); ++i)
    codes.mutable_data<int32_t>()[i] =
        quantize_element(values.data<float>()[i], qparams.scale.front(), qparams.zero_point.front(), range);
  return cast(codes, qparams.type);
}

class QdqInserter {
 public:
  QdqInserter(const Graph& graph, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
              const RewriteOptions& options)
      : graph_(graph), plan_(plan), ranges_(ranges), options_(options), types_(float_types(graph)) {}

  Rewrite run() {
    patch().reason = "insert the quantize/dequantize pairs";
    collect_values();
    for (const OutputPair& pair : plan_.output_pairs) divert_output(pair.value);
    for (QuantizedValue& value : result_.values) insert_pair(value);
    for (const EdgeDecision& edge : plan_.edges)
      if (edge.pair) read(edge.consumer, edge.slot, dequantized_.at(edge.value));
    for (const WeightDecision& weight : plan_.weights) insert_weight(weight);
    if (options_.int32_bias)
      for (const WeightDecision& weight : plan_.weights) insert_bias(weight);
    return std::move(result_);
  }

 private:
  /// What a weight became: shared by every node that reads the same constant along the same axis.
  struct WrittenWeight {
    std::string dequantized;
    QParams qparams;
  };

  GraphPatch& patch() { return result_.patch; }
  [[nodiscard]] const std::string& name(ValueId id) const { return graph_.value(id).name; }

  /// A value or node name that neither the graph nor this patch has.
  std::string unused(const std::string& wish) {
    std::string found = wish;
    for (int suffix = 1;
         graph_.find_value(found) != kNoValue || graph_.find_node(found) != kNoNode || !taken_.insert(found).second;
         ++suffix)
      found = wish + "_" + std::to_string(suffix);
    return found;
  }

  std::string add_constant(const std::string& wish, Tensor tensor) {
    const std::string added = unused(wish);
    patch().add_initializers.emplace_back(added, std::move(tensor));
    return added;
  }

  void read(NodeId node, int slot, const std::string& value) {
    patch().rewire.push_back({graph_.node(node).name, slot, value});
  }

  void collect_values() {
    std::map<ValueId, int> groups;
    for (const EdgeDecision& edge : plan_.edges)
      if (edge.pair) groups.emplace(edge.value, edge.scale_group);
    for (const OutputPair& pair : plan_.output_pairs) groups.emplace(pair.value, pair.scale_group);
    for (const auto& [id, group] : groups) {
      const auto range = ranges_.find(id);
      if (range == ranges_.end())
        throw Error(ErrorCode::TableMismatch,
                    "there is no range for value '" + name(id) + "', which is to be quantized",
                    "calibrate again with this model and target");
      QuantType type = options_.activation;
      type.scale_type = scale_type(id);
      result_.values.push_back({id, range->second, qparams_from_range(range->second, type), group});
      if (range->second.amax() == 0)
        result_.warnings.push_back("value '" + name(id) + "' was 0 in every sample; it got scale 1");
    }
  }

  [[nodiscard]] DataType type_of(ValueId id) const { return types_[static_cast<size_t>(id)]; }
  [[nodiscard]] DataType scale_type(ValueId id) const {
    return type_of(id) == DataType::Float16 && options_.half_scales ? DataType::Float16 : DataType::Float32;
  }

  /// Lets the producer of a graph output write another value, so that the pair can write the output itself. Subgraphs that
  /// read the output by name then read the pair's result.
  void divert_output(ValueId id) {
    const Value& value = graph_.value(id);
    const Node* producer = graph_.producer(id);
    if (!value.is_output || !producer || value.is_constant || diverted_.contains(id)) return;
    const std::string moved = unused(value.name + "_float");
    const auto slot = std::ranges::find(producer->outputs, id) - producer->outputs.begin();
    patch().rename_outputs.push_back({producer->name, static_cast<int>(slot), moved});
    for (const Use& use : value.uses)
      if (use.slot >= 0) read(use.node, use.slot, moved);
    diverted_.emplace(id, moved);
  }

  void insert_pair(const QuantizedValue& value) {
    const auto diverted = diverted_.find(value.value);
    const bool is_output = diverted != diverted_.end();
    const std::string& wish = name(value.value);
    const std::string source = is_output ? diverted->second : wish;
    const std::string result = is_output ? wish : unused(wish + "_dequantized");
    const Tensor* constant = graph_.constant(value.value);
    const Grid grid = add_grid(wish, value.qparams, scale_type(value.value));
    std::string codes;
    if (constant && options_.int8_weights)
      codes = add_constant(wish + "_quantized", quantize_constant(*constant, value.qparams));
    else
      codes = add_quantize(wish, source, grid, type_of(value.value));
    add_dequantize(wish, codes, result, grid, type_of(value.value));
    dequantized_.emplace(value.value, result);
  }

  struct Grid {
    std::string scale, zero_point;
    int64_t axis;
    DataType scale_type;
  };

  Grid add_grid(const std::string& wish, const QParams& qparams, DataType type) {
    // Without an axis attribute engines differ in the default; with one scale it has no meaning.
    const int64_t axis = std::max(qparams.axis, 0);
    return {add_constant(wish + "_scale", scale_tensor(qparams, type)),
            add_constant(wish + "_zero_point", zero_point_tensor(qparams)), axis, type};
  }

  /// Returns the value that holds the codes. A value whose type is not the scale's is cast first.
  std::string add_quantize(const std::string& wish, std::string source, const Grid& grid, DataType type) {
    if (type != grid.scale_type) source = add_cast(wish, "_to_scale_type", source, grid.scale_type);
    const std::string codes = unused(wish + "_quantized");
    patch().add_nodes.push_back({"QuantizeLinear",
                                 unused(wish + "_QuantizeLinear"),
                                 {source, grid.scale, grid.zero_point},
                                 {codes},
                                 {{"axis", grid.axis}},
                                 ""});
    return codes;
  }

  void add_dequantize(const std::string& wish, const std::string& codes, const std::string& result, const Grid& grid,
                      DataType type) {
    const bool casts = type != grid.scale_type;
    const std::string output = casts ? unused(wish + "_dequantized_" + std::string(name_of(grid.scale_type))) : result;
    patch().add_nodes.push_back({"DequantizeLinear",
                                 unused(wish + "_DequantizeLinear"),
                                 {codes, grid.scale, grid.zero_point},
                                 {output},
                                 {{"axis", grid.axis}},
                                 ""});
    if (casts)
      patch().add_nodes.push_back(
          {"Cast", unused(wish + "_Cast"), {output}, {result}, {{"to", static_cast<int64_t>(onnx_type_of(type))}}, ""});
  }

  std::string add_cast(const std::string& wish, const std::string& suffix, const std::string& source, DataType type) {
    const std::string output = unused(wish + suffix);
    patch().add_nodes.push_back(
        {"Cast", unused(output + "_Cast"), {source}, {output}, {{"to", static_cast<int64_t>(onnx_type_of(type))}}, ""});
    return output;
  }

  void insert_weight(const WeightDecision& decision) {
    const int axis = options_.per_tensor_weights ? -1 : decision.axis;
    auto found = weights_.find({decision.value, axis});
    if (found == weights_.end())
      found = weights_.emplace(std::pair{decision.value, axis}, write_weight(decision, axis)).first;
    read(decision.node, decision.slot, found->second.dequantized);
  }

  WrittenWeight write_weight(const WeightDecision& decision, int axis) {
    const Tensor* weight = graph_.constant(decision.value);
    if (!weight)
      throw Error(ErrorCode::Internal, "the weight '" + name(decision.value) + "' in the plan is not constant");
    WeightOptions options{options_.weight_bits, options_.weight_range, scale_type(decision.value)};
    // A float weight is cut to 8 bits by the engine: narrower codes then hold only where nothing is cut.
    if (!options_.int8_weights && options.bits < 8) options.range = WeightRange::Max;
    try {
      QuantizedWeight quantized = quantize_weight(*weight, axis, options);
      const std::string& wish = name(decision.value);
      const Grid grid = add_grid(wish, quantized.qparams, options.scale_type);
      const std::string codes = options_.int8_weights ? add_constant(wish + "_quantized", std::move(quantized.codes))
                                                      : add_quantize(wish, wish, grid, weight->type());
      const std::string result = unused(wish + "_dequantized");
      add_dequantize(wish, codes, result, grid, weight->type());
      return {result, quantized.qparams};
    } catch (const Error& error) {
      throw error.in("weight '" + name(decision.value) + "' of node '" + graph_.node(decision.node).name + "'");
    }
  }

  void insert_bias(const WeightDecision& decision) {
    const Node& node = graph_.node(decision.node);
    const int slot = traits_of(graph_, node).bias_slot;
    const ValueId bias = slot < 0 ? kNoValue : node.input(static_cast<size_t>(slot));
    if (bias == kNoValue || type_of(bias) != DataType::Float32) return;
    const auto keep_float = [&](const std::string& why) {
      result_.warnings.push_back("the bias of node '" + node.name + "' stays float: " + why);
    };
    const QParams* input = input_qparams(decision);
    const Tensor* constant = graph_.constant(bias);
    if (!input || !constant) return keep_float(constant ? "its input has no pair" : "it is not constant");
    const bool scaled = node.float_or("alpha", 1.0F) != 1.0F || node.float_or("beta", 1.0F) != 1.0F;
    if (scaled) return keep_float("alpha or beta is not 1");
    const int axis = options_.per_tensor_weights ? -1 : decision.axis;
    const QParams& weight = weights_.at({decision.value, axis}).qparams;
    std::optional<QuantizedWeight> quantized = quantize_bias(*constant, input->scale.front(), weight.scale);
    if (!quantized) return keep_float("its codes do not fit 32 bits or its shape is not one number a channel");
    const std::string wish = name(bias) + "_of_" + node.name;  // the scale belongs to this node's input and weight
    const Grid grid = add_grid(wish, quantized->qparams, DataType::Float32);
    const std::string result = unused(wish + "_dequantized");
    add_dequantize(wish, add_constant(wish + "_quantized", std::move(quantized->codes)), result, grid,
                   DataType::Float32);
    read(decision.node, slot, result);
  }

  /// Grid of the operand that the weight multiplies; nullptr when it has no pair.
  [[nodiscard]] const QParams* input_qparams(const WeightDecision& decision) const {
    const EdgeDecision* edge = plan_.find_edge(decision.node, decision.slot == 0 ? 1 : 0);
    if (!edge || !edge->pair) return nullptr;
    const auto found = std::ranges::find(result_.values, edge->value, &QuantizedValue::value);
    return found == result_.values.end() ? nullptr : &found->qparams;
  }

  const Graph& graph_;
  const PlacementPlan& plan_;
  const std::map<ValueId, Range>& ranges_;
  const RewriteOptions& options_;
  std::vector<DataType> types_;
  Rewrite result_;
  std::set<std::string> taken_;
  std::map<ValueId, std::string> diverted_;     // graph outputs: what their producer writes now
  std::map<ValueId, std::string> dequantized_;  // what the paired readers of a value read
  std::map<std::pair<ValueId, int>, WrittenWeight> weights_;
};

}  // namespace

Rewrite make_qdq_patch(const Graph& graph, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                       const RewriteOptions& options) {
  return QdqInserter(graph, plan, ranges, options).run();
}

}  // namespace detent
