#include "rewrite/qdq_inserter.h"

#include <algorithm>
#include <cmath>

#include "core/small_float.h"
#include "ops/traits.h"
#include "ops/value_types.h"
#include "rewrite/rewrite_context.h"
#include "rewrite/weight_inserter.h"

namespace detent {

namespace {

/// Returns the codes of a constant activation.
Tensor quantize_constant(const Tensor& tensor, const QParams& qparams) {
  const Tensor values = cast(tensor, DataType::Float32);
  if (qparams.type == DataType::Float8E4M3FN) {
    Tensor numbers(qparams.type, tensor.shape());
    std::ranges::transform(values.data<float>(), numbers.mutable_data<uint8_t>().begin(),
                           [&](float x) { return encode_e4m3(x / qparams.scale.front()); });
    return numbers;
  }
  Tensor codes(DataType::Int32, tensor.shape());
  const CodeRange range = code_range(qparams.type);
  for (size_t i = 0; i < values.data<float>().size(); ++i)
    codes.mutable_data<int32_t>()[i] =
        quantize_element(values.data<float>()[i], qparams.scale.front(), qparams.zero_point.front(), range);
  return cast(codes, qparams.type);
}

/// Inserts the pairs of activations.
class QdqInserter {
 public:
  explicit QdqInserter(RewriteContext& context) : context_(context), graph_(context.graph), plan_(context.plan) {}

  void run(const std::map<ValueId, Range>& ranges) {
    collect_values(ranges);
    for (const auto& [id, value] : plan_.values)
      if (value.output) divert_output(id);
    for (const QuantizedValue& value : context_.result.values) insert_pair(value);
    for (const QuantizedValue& value : context_.result.second) insert_second_pair(value);
    for (const EdgeDecision& edge : plan_.edges)
      if (edge.reads_pair())
        context_.writer.read(edge.consumer, edge.slot,
                             (edge.reads == Reads::SecondPair ? converted_ : dequantized_).at(edge.value));
  }

 private:
  void collect_values(const std::map<ValueId, Range>& ranges) {
    const std::map<int, DataType> number_types = types_of_numbers();
    for (const auto& [id, decision] : plan_.values) {
      if (!decision.pair) continue;
      const auto range = ranges.find(id);
      if (range == ranges.end())
        throw Error(ErrorCode::TableMismatch,
                    "there is no range for value '" + context_.name(id) + "', which is to be quantized",
                    "calibrate again with this model and target");
      const int group = decision.scale_group;
      const DataType numbers = group < 0 ? number_type(id) : number_types.at(group);
      Rewrite& result = context_.result;
      result.values.push_back(on_grid(id, range->second, decision.wide, numbers, group));
      if (decision.second_pair)
        result.second.push_back(on_grid(id, {range->second.min, range->second.max}, !decision.wide, numbers, group));
      if (range->second.amax() == 0)
        result.warnings.push_back("value '" + context_.name(id) + "' was 0 in every sample; it got the default scale");
    }
  }

  [[nodiscard]] QuantizedValue on_grid(ValueId id, const Range& range, bool wide, DataType numbers, int group) const {
    QuantType type = context_.options.activation;
    if (wide) type.type = code_format(type.type).wide;
    type.scale_type = numbers;
    Range used = range;
    if (const DataType codes = plan_.code_type(id, range, type.type); codes != type.type) {
      type.type = codes;
      used = {-range.amax(), range.amax(), range.given_scale};
    } else if (type.type == DataType::UInt8 && group < 0)
      used = in_whole_steps(plan_.about(id), range);
    return {id, used, off_middle(used, qparams_from_range(used, type)), group};
  }

  /// Moves a zero point of UINT8 codes out of their middle, where the engine wants that: away from the wider side.
  [[nodiscard]] QParams off_middle(const Range& range, QParams grid) const {
    constexpr int32_t kMiddle = 128;
    int32_t& point = grid.zero_point.front();
    if (context_.options.off_middle && grid.type == DataType::UInt8 && point == kMiddle)
      point += range.max >= -range.min ? -1 : 1;
    return grid;
  }

  /// Returns the range with the least scale that makes 0 a whole number of steps above its limit, where it begins there
  /// (ValueDecision::whole_steps).
  [[nodiscard]] static Range in_whole_steps(const ValueDecision& value, const Range& range) {
    constexpr float kSteps = 255;
    if (!value.whole_steps || !value.limit || range.min != value.limit->min || range.given_scale > 0) return range;
    const float steps = std::floor(-range.min * kSteps / (range.max - range.min));
    if (steps < 1) return range;
    const float scale = -range.min / steps;
    return {range.min, kSteps * scale + range.min, scale, static_cast<int32_t>(steps)};
  }

  /// Returns the type that holds the number of a value's scale. The QuantizeLinear before a Cast has a scale of another
  /// type and the same number.
  [[nodiscard]] DataType number_type(ValueId id) const {
    const DataType before = context_.scale_type(context_.source_of(id));
    return is_half(before) ? before : context_.scale_type(id);
  }

  /// Returns the type with the fewest numbers, by group of values with one scale.
  [[nodiscard]] std::map<int, DataType> types_of_numbers() const {
    std::map<int, DataType> types;
    for (const ValueId id : plan_.paired_values()) {
      DataType& type = types.try_emplace(plan_.about(id).scale_group, DataType::Float32).first->second;
      const DataType own = number_type(id);
      if (own == DataType::BFloat16 || type == DataType::Float32) type = own;
    }
    return types;
  }

  /// Makes the producer of a graph output write another value, so that the pair writes the output. Subgraphs that read
  /// the output by name then read the pair's result.
  void divert_output(ValueId id) {
    const Value& value = graph_.value(id);
    const Node* producer = graph_.producer(id);
    if (!value.is_output || !producer || value.is_constant || diverted_.contains(id)) return;
    const std::string moved = context_.writer.fresh(value.name + "_float");
    const auto slot = std::ranges::find(producer->outputs, id) - producer->outputs.begin();
    context_.result.patch.rename_outputs.push_back({producer->name, static_cast<int>(slot), moved});
    for (const Use& use : value.uses)
      if (use.slot >= 0) context_.writer.read(use.node, use.slot, moved);
    diverted_.emplace(id, moved);
  }

  void insert_pair(const QuantizedValue& value) {
    const ValueId id = value.value;
    const auto diverted = diverted_.find(id);
    const bool is_output = diverted != diverted_.end();
    const std::string& wish = context_.name(id);
    const ValueId before = context_.source_of(id);
    const std::string source = is_output ? diverted->second : context_.name(before);
    PairWriter& writer = context_.writer;
    const std::string result = is_output ? wish : writer.fresh(wish + "_dequantized");
    const Tensor* constant = graph_.constant(id);
    const PairWriter::Grid grid = writer.add_grid(wish, value.qparams, context_.scale_type(id));
    const std::string codes =
        constant && context_.options.int8_weights
            ? writer.add_constant(wish + "_quantized", quantize_constant(*constant, value.qparams))
            : writer.add_quantize(wish, source, writer.in_type(grid, wish, value.qparams, context_.scale_type(before)),
                                  context_.type_of(before));
    writer.add_dequantize(wish, codes, result, grid, context_.type_of(id));
    dequantized_.emplace(id, result);
  }

  /// Inserts the pair of another width behind the value's own. A constant has codes of both widths.
  void insert_second_pair(const QuantizedValue& value) {
    const ValueId id = value.value;
    PairWriter& writer = context_.writer;
    const std::string wish = context_.name(id) + "_" + std::string(name_of(value.qparams.type));
    const std::string result = writer.fresh(wish + "_dequantized");
    const PairWriter::Grid grid = writer.add_grid(wish, value.qparams, context_.scale_type(id));
    const Tensor* constant = graph_.constant(id);
    const std::string codes =
        constant && context_.options.int8_weights
            ? writer.add_constant(wish + "_quantized", quantize_constant(*constant, value.qparams))
            : writer.add_quantize(wish, constant ? context_.name(id) : dequantized_.at(id), grid, context_.type_of(id));
    writer.add_dequantize(wish, codes, result, grid, context_.type_of(id));
    converted_.emplace(id, result);
  }

  RewriteContext& context_;
  const Graph& graph_;
  const PlacementPlan& plan_;
  std::map<ValueId, std::string> diverted_;     // graph output -> value that its producer writes now
  std::map<ValueId, std::string> dequantized_;  // value -> value that its paired readers read
  std::map<ValueId, std::string> converted_;    // the same on its second grid
};

}  // namespace

const QuantizedValue* Rewrite::find_grid(const EdgeDecision* edge) const {
  if (!edge || !edge->reads_pair()) return nullptr;
  const std::vector<QuantizedValue>& grids = edge->reads == Reads::SecondPair ? second : values;
  const auto found = std::ranges::find(grids, edge->value, &QuantizedValue::value);
  return found == grids.end() ? nullptr : &*found;
}

Rewrite make_qdq_patch(const Graph& graph, const PlacementPlan& plan, const std::map<ValueId, Range>& ranges,
                       const RewriteOptions& options, WeightMemo* memo) {
  Rewrite result;
  result.patch.reason = "insert the quantize/dequantize pairs";
  RewriteContext context{graph, plan, options, value_types(graph), result, {graph, result.patch}, memo};
  QdqInserter(context).run(ranges);
  insert_weights(context);
  return result;
}

GraphPatch take_unread_casts(const Graph& graph) {
  GraphPatch patch;
  patch.reason = "take out the casts that nothing reads";
  for (const Node& node : graph.nodes()) {
    if (traits_of(graph, node).kind != OpKind::Cast) continue;
    const Value& value = graph.value(*node.output(0));
    if (value.uses.empty() && !value.is_output) patch.remove_nodes.push_back(node.name);
  }
  return patch;
}

}  // namespace detent
