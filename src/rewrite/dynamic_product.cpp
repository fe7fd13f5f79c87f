#include "rewrite/dynamic_product.h"

#include <algorithm>
#include <utility>

#include "core/index.h"
#include "model/graph/tensor_proto.h"

namespace detent {

namespace {

/// Returns the node that writes the value, if it is an operator of ONNX with this name; nullptr otherwise.
const Node* writer_of(const Graph& graph, MaybeValue value, std::string_view op) {
  const Node* node = graph.producer(value);
  return node && node->domain.empty() && node->op_type == op ? node : nullptr;
}

/// Returns the value of a DynamicQuantizeLinear's output; kNoValue for other nodes.
bool writes(const Node& quantize, int output, MaybeValue value) { return value && quantize.output(output) == value; }

/// Finds the product that a Mul of sums and scales writes.
std::optional<WrittenDynamicProduct> find_scaled(const Graph& graph, const Node& mul) {
  const Node* cast = writer_of(graph, mul.input(0), "Cast");
  const Node* scales = writer_of(graph, mul.input(1), "Mul");
  const Node* product = cast ? writer_of(graph, cast->input(0), "MatMulInteger") : nullptr;
  const Node* quantize = product ? writer_of(graph, product->input(0), "DynamicQuantizeLinear") : nullptr;
  if (!scales || !quantize || !writes(*quantize, 1, scales->input(0)) || !writes(*quantize, 2, product->input(2)))
    return std::nullopt;
  WrittenDynamicProduct found{.nodes = {quantize->id, product->id, cast->id, scales->id, mul.id},
                              .data = *quantize->input(0),
                              .codes = graph.constant(product->input(1)),
                              .scales = graph.constant(scales->input(1))};
  if (product->input(3)) found.zero_point = graph.constant(product->input(3));
  if (!found.codes || !found.scales || (product->input(3) && !found.zero_point)) return std::nullopt;
  return found;
}

}  // namespace

Tensor transposed(const Tensor& codes) {
  const auto rows = as_index(codes.shape()[0]), columns = as_index(codes.shape()[1]);
  Tensor turned(codes.type(), Shape{codes.shape()[1], codes.shape()[0]});
  const auto* from = static_cast<const std::byte*>(codes.raw());
  auto* to = static_cast<std::byte*>(turned.mutable_raw());
  constexpr size_t kBlock = 64;  // both sides of a block stay in the cache
  for (size_t r0 = 0; r0 < rows; r0 += kBlock)
    for (size_t c0 = 0; c0 < columns; c0 += kBlock)
      for (size_t r = r0; r < std::min(r0 + kBlock, rows); ++r)
        for (size_t c = c0; c < std::min(c0 + kBlock, columns); ++c) to[c * rows + r] = from[r * columns + c];
  return turned;
}

DynamicProduct::Weight DynamicProduct::add_weight(PairWriter& writer, const std::string& wish,
                                                  QuantizedWeight quantized, bool turned) {
  const QParams& grid = quantized.qparams;
  Weight weight;
  weight.codes = writer.add_constant(wish + "_quantized", turned ? transposed(quantized.codes) : quantized.codes);
  weight.scales = writer.add_constant(
      wish + "_scale", Tensor::from<float>(grid.axis < 0 ? Shape{} : Shape{std::ssize(grid.scale)}, grid.scale));
  if (grid.zero_point.front() != 0)
    weight.zero_point = writer.add_constant(wish + "_zero_point",
                                            Tensor::scalar<uint8_t>(static_cast<uint8_t>(grid.zero_point.front())));
  return weight;
}

const DynamicProduct::Codes& DynamicProduct::codes_of(ValueId data) {
  const auto [entry, added] = codes_.try_emplace(data);
  if (!added) return entry->second;
  PairWriter& writer = context_.writer;
  const std::string& wish = context_.name(data);
  entry->second = {writer.fresh(wish + "_quantized"), writer.fresh(wish + "_scale"),
                   writer.fresh(wish + "_zero_point")};
  const auto& [codes, scale, zero_point] = entry->second;
  context_.result.patch.add_nodes.push_back({"DynamicQuantizeLinear",
                                             writer.fresh(wish + "_DynamicQuantizeLinear"),
                                             {wish},
                                             {codes, scale, zero_point},
                                             {},
                                             ""});
  return entry->second;
}

std::string DynamicProduct::add(const std::string& op, const std::string& name, std::vector<std::string> inputs,
                                std::vector<Attribute> attributes) {
  const std::string output = context_.writer.fresh(name);
  context_.result.patch.add_nodes.push_back(
      {op, context_.writer.fresh(name + "_" + op), std::move(inputs), {output}, std::move(attributes), ""});
  return output;
}

void DynamicProduct::write(const WeightDecision& decision, const Weight& weight) {
  const Node& node = context_.graph.node(decision.node);
  const Codes& data = codes_of(*node.input(0));
  GraphPatch& patch = context_.result.patch;
  const std::string& wish = context_.name(*node.output(0));
  std::vector<std::string> operands{data.codes, weight.codes, data.zero_point};
  if (!weight.zero_point.empty()) operands.push_back(weight.zero_point);
  const std::string sums = add("MatMulInteger", wish + "_sums", std::move(operands));
  patch.add_nodes.back().name = context_.writer.fresh(node.name + "_MatMulInteger");
  const std::string floats =
      add("Cast", wish + "_float_sums", {sums}, {{"to", static_cast<int64_t>(onnx_type_of(DataType::Float32))}});
  const std::string scales = add("Mul", wish + "_scales", {data.scale, weight.scales});
  add("Mul", wish + "_scaled", {floats, scales});
  if (node.input(2)) {
    const std::string product = patch.add_nodes.back().outputs.front();
    add("Add", wish + "_biased", {product, context_.name(*node.input(2))});
  }
  patch.add_nodes.back().outputs.front() = wish;
  take_out(node);
}

void DynamicProduct::take_out(const Node& node) {
  const Value& value = context_.graph.value(*node.output(0));
  context_.result.patch.rename_outputs.push_back({node.name, 0, context_.writer.fresh(value.name + "_unread")});
  for (const Use& use : value.uses) {
    if (use.slot < 0) continue;  // a subgraph reads the name
    const EdgeDecision* edge = context_.plan.find_edge(use.node, use.slot);
    if (!edge || !edge->reads_pair()) context_.writer.read(use.node, use.slot, value.name);
  }
}

std::vector<std::string> replaced_products(const Graph& graph, const PlacementPlan& plan) {
  std::vector<std::string> names;
  for (const WeightDecision& weight : plan.weights)
    if (const std::string& name = graph.node(weight.node).name;
        weight.dynamic && (names.empty() || names.back() != name))  // W and R of an LSTM
      names.push_back(name);
  return names;
}

Tensor WrittenDynamicProduct::zero_points(const Shape& scales_shape) const {
  Tensor points(DataType::Int32, scales_shape);
  const int32_t point = zero_point ? cast(*zero_point, DataType::Int32).data<int32_t>()[0] : 0;
  std::ranges::fill(points.mutable_data<int32_t>(), point);
  return points;
}

std::optional<WrittenDynamicProduct> find_dynamic_product(const Graph& graph, MaybeValue output) {
  if (const Node* mul = writer_of(graph, output, "Mul")) return find_scaled(graph, *mul);
  const Node* add = writer_of(graph, output, "Add");
  const Node* mul = add ? writer_of(graph, add->input(0), "Mul") : nullptr;
  auto found = mul ? find_scaled(graph, *mul) : std::nullopt;
  if (!found) return std::nullopt;
  found->nodes.push_back(add->id);
  found->bias = add->input(1);
  return found;
}

}  // namespace detent
