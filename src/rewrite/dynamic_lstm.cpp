#include "rewrite/dynamic_lstm.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/index.h"

namespace detent {

namespace {

constexpr std::string_view kOperator = "DynamicQuantizeLSTM";
constexpr int kW = 1, kR = 2;
constexpr size_t kOperands = 8, kAllInputs = 12;  // those of LSTM; with scales and zero points of W and R

/// Exchanges the last two axes of 8-bit codes.
Tensor turned(const Tensor& codes, int64_t matrices, int64_t rows, int64_t columns) {
  Tensor result(codes.type(), Shape{matrices, columns, rows});
  const auto* from = static_cast<const std::byte*>(codes.raw());
  auto* to = static_cast<std::byte*>(result.mutable_raw());
  for (int64_t m = 0; m < matrices; ++m)
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r) *to++ = from[(m * rows + r) * columns + c];
  return result;
}

std::vector<Attribute> attributes_of(const Node& node) {
  static constexpr std::array<std::string_view, 7> kTaken = {
      "activation_alpha", "activation_beta", "activations", "clip", "direction", "hidden_size", "input_forget"};
  std::vector<Attribute> attributes;
  std::ranges::copy_if(node.attributes, std::back_inserter(attributes), [](const Attribute& attribute) {
    return std::ranges::find(kTaken, attribute.name) != kTaken.end();
  });
  return attributes;
}

/// Returns one number a row of those of each direction, or of each row.
Tensor for_each_row(const Tensor& numbers, int64_t rows) {
  const auto given = numbers.data<float>();
  const size_t times = as_index(rows) / std::max<size_t>(given.size(), 1);
  Tensor all(DataType::Float32, Shape{rows});
  auto* to = all.mutable_data<float>().data();
  for (const float number : given) to = std::fill_n(to, times, number);
  return all;
}

std::optional<WrittenLstm::Rows> rows_of(const Graph& graph, const Node& node, size_t codes_slot, size_t scale_slot) {
  const Tensor *codes = graph.constant(node.input(codes_slot)), *scales = graph.constant(node.input(scale_slot)),
               *points = graph.constant(node.input(scale_slot + 1));
  if (!codes || !scales || !points || codes->shape().rank() != 3 || codes->type() != DataType::Int8)
    return std::nullopt;
  const int64_t directions = codes->shape()[0], inner = codes->shape()[1], columns = codes->shape()[2];
  const int64_t rows = directions * columns;
  for (const Tensor* numbers : {scales, points})
    if (numbers->element_count() != directions && numbers->element_count() != rows) return std::nullopt;
  return WrittenLstm::Rows{turned(*codes, directions, inner, columns).reshaped(Shape{rows, inner}),
                           for_each_row(*scales, rows),
                           cast(for_each_row(cast(*points, DataType::Float32), rows), DataType::Int8)};
}

}  // namespace

Tensor lstm_rows(const Tensor& weight) {
  const Shape& shape = weight.shape();
  return weight.reshaped(Shape{shape[0] * shape[1], shape[2]});
}

DynamicProduct::Weight DynamicLstms::add_weight(PairWriter& writer, const std::string& wish,
                                                const QuantizedWeight& quantized, const Shape& shape) {
  const QParams& grid = quantized.qparams;
  const int64_t directions = shape[0], rows = shape[1];
  const bool single = grid.scale.size() == 1;
  const Shape numbers = single ? Shape{directions} : Shape{directions, rows};
  std::vector<float> scales = grid.scale;
  if (single) scales.assign(as_index(directions), grid.scale.front());
  Tensor zero_points(DataType::Int8, numbers);
  std::ranges::fill(zero_points.mutable_data<int8_t>(), int8_t{0});
  DynamicProduct::Weight weight;
  weight.codes = writer.add_constant(wish + "_quantized", turned(quantized.codes, directions, rows, shape[2]));
  weight.scales = writer.add_constant(wish + "_scale", Tensor::from<float>(numbers, scales));
  weight.zero_point = writer.add_constant(wish + "_zero_point", std::move(zero_points));
  return weight;
}

void DynamicLstms::write(const WeightDecision& decision, const DynamicProduct::Weight& weight) {
  auto& weights = weights_[decision.node];
  weights[decision.slot] = weight;
  if (weights.size() < 2) return;
  const Node& node = context_.graph.node(decision.node);
  const auto& [w, r] = std::pair(weights.at(kW), weights.at(kR));
  NodeSpec spec{std::string(kOperator),
                context_.writer.fresh(node.name + "_" + std::string(kOperator)),
                std::vector<std::string>(kOperands),
                {},
                attributes_of(node),
                std::string(kMicrosoftDomain)};
  for (size_t slot = 0; slot < std::min(node.inputs.size(), kOperands); ++slot)
    if (node.inputs[slot]) spec.inputs[slot] = context_.name(*node.inputs[slot]);
  spec.inputs[kW] = w.codes;
  spec.inputs[kR] = r.codes;
  for (const std::string& name : {w.scales, w.zero_point, r.scales, r.zero_point}) spec.inputs.push_back(name);
  for (const MaybeValue output : node.outputs) spec.outputs.push_back(output ? context_.name(*output) : "");
  context_.result.patch.add_nodes.push_back(std::move(spec));
  take_out(node);
}

void DynamicLstms::take_out(const Node& node) {
  for (size_t slot = 0; slot < node.outputs.size(); ++slot) {
    if (!node.outputs[slot]) continue;
    const Value& value = context_.graph.value(*node.outputs[slot]);
    context_.result.patch.rename_outputs.push_back(
        {node.name, static_cast<int>(slot), context_.writer.fresh(value.name + "_unread")});
    for (const Use& use : value.uses) {
      if (use.slot < 0) continue;  // a subgraph reads the name
      const EdgeDecision* edge = context_.plan.find_edge(use.node, use.slot);
      if (!edge || !edge->reads_pair()) context_.writer.read(use.node, use.slot, value.name);
    }
  }
}

std::optional<WrittenLstm> find_dynamic_lstm(const Graph& graph, MaybeValue output) {
  constexpr size_t kWScale = 8, kRScale = 10;
  const Node* node = graph.producer(output);
  if (!node || node->domain != kMicrosoftDomain || node->op_type != kOperator || node->inputs.size() != kAllInputs)
    return std::nullopt;
  auto w = rows_of(graph, *node, kW, kWScale), r = rows_of(graph, *node, kR, kRScale);
  if (!w || !r) return std::nullopt;
  return WrittenLstm{node, std::move(*w), std::move(*r)};
}

}  // namespace detent
