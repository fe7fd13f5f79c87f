#include "rewrite/tied_codes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "model/name_source.h"
#include "ops/traits.h"
#include "rewrite/table_quantizer.h"

namespace detent {

namespace {

constexpr double kLeastDb = 30;  // as for the table's own codes (R22)

/// True when the weight has the numbers of the table: at the same place, or at the transposed one.
bool has_numbers_of(const Tensor& weight, const Tensor& table, bool turned) {
  if (weight.type() != table.type()) return false;
  const int64_t rows = table.shape()[0], columns = table.shape()[1];
  const Shape wanted = turned ? Shape{columns, rows} : Shape{rows, columns};
  if (weight.shape() != wanted) return false;
  if (!turned && weight.raw() == table.raw()) return true;
  const size_t size = byte_size(table.type());
  const auto *a = static_cast<const std::byte*>(table.raw()), *b = static_cast<const std::byte*>(weight.raw());
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c) {
      const std::byte* x = a + static_cast<size_t>(r * columns + c) * size;
      const std::byte* y = b + static_cast<size_t>(turned ? c * rows + r : r * columns + c) * size;
      if (!std::equal(x, x + size, y)) return false;
    }
  return true;
}

/// Codes about 0 with a scale for each index of one axis, or for each block of the axis, as a DequantizeLinear reads
/// them.
struct Codes {
  const Node* node = nullptr;
  BlockedWeight numbers;
  int axis = 0;
  int64_t block = 0;  ///< 0: none

  [[nodiscard]] Tensor floats() const {
    if (block == 0) return dequantize_channels(numbers, axis);
    return dequantize_blocks(numbers, {.codes = DataType::Int8, .block = block, .scales = numbers.scales.type()});
  }
};

/// Returns what a slot reads, where it is such codes; without a node elsewhere.
Codes codes_before(const Graph& graph, const Node& reader, int slot) {
  const Node* node = graph.producer(reader.input(slot));
  if (!node || traits_of(graph, *node).kind != OpKind::DequantizeLinear) return {};
  const Tensor *codes = graph.constant(node->input(0)), *scales = graph.constant(node->input(1)),
               *points = graph.constant(node->input(2));
  const int64_t block = node->int_or("block_size", 0);
  if (!codes || !scales || codes->type() != DataType::Int8 || codes->shape().rank() != 2 ||
      scales->shape().rank() != (block > 0 ? 2 : 1))
    return {};
  if (points && std::ranges::any_of(points->data<int8_t>(), [](int8_t point) { return point != 0; })) return {};
  const auto axis = static_cast<int>(node->int_or("axis", 1));
  return {node, {*codes, *scales}, axis < 0 ? axis + 2 : axis, block};
}

/// Returns how close the weight's codes are to the table's, in dB.
double agreement_db(const Codes& table, const Codes& weight, bool turned) {
  const Tensor a = table.floats(), b = weight.floats();
  const auto rows = static_cast<size_t>(a.shape()[0]), columns = static_cast<size_t>(a.shape()[1]);
  double signal = 0, noise = 0;
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      const double x = a.data<float>()[r * columns + c];
      const double y = b.data<float>()[turned ? c * rows + r : r * columns + c];
      signal += x * x, noise += (x - y) * (x - y);
    }
  return noise > 0 ? 10 * std::log10(signal / noise) : kLeastDb;
}

/// Adds the nodes that take rows of codes and of their scales.
class Sharing {
 public:
  Sharing(const Graph& graph, GraphPatch& patch) : graph_(graph), patch_(patch), names_(graph) {}

  void share(const Node& gather, const Codes& codes, bool turned) {
    const Rows& rows = rows_of(codes, turned);
    const std::string result = name(*gather.output(0)), ids = name(*gather.input(1));
    const std::string taken = names_.fresh(result + "_quantized"), floats = names_.fresh(result + "_codes"),
                      scales = names_.fresh(result + "_scale");
    patch_.rewire.push_back({gather.name, 0, rows.codes});
    patch_.rename_outputs.push_back({gather.name, 0, taken});
    add("Gather", scales, {rows.scales, ids}, {{"axis", int64_t{0}}});
    if (codes.block > 0) {
      add("DequantizeLinear", result, {taken, scales}, {{"axis", int64_t{-1}}, {"block_size", codes.block}});
      return;
    }
    add("Cast", floats, {taken}, {{"to", static_cast<int64_t>(codes.numbers.scales.type())}});
    add("Mul", result, {floats, scales}, {});
  }

 private:
  struct Rows {
    std::string codes, scales;  ///< values: [rows, columns] and [rows, 1], or [rows, blocks]
  };

  [[nodiscard]] const std::string& name(ValueId id) const { return graph_.value(id).name; }

  void add(const char* op, const std::string& result, std::vector<std::string> inputs,
           std::vector<Attribute> attributes) {
    patch_.add_nodes.push_back(
        {op, names_.fresh(result + "_" + op), std::move(inputs), {result}, std::move(attributes), ""});
  }

  std::string transposed(const std::string& matrix) {
    std::string result = names_.fresh(matrix + "_transposed");
    add("Transpose", result, {matrix}, {{"perm", std::vector<int64_t>{1, 0}}});
    return result;
  }

  const Rows& rows_of(const Codes& codes, bool turned) {
    const auto [entry, added] = rows_.try_emplace(codes.node->id);
    if (!added) return entry->second;
    Rows& rows = entry->second;
    const std::string &stored = name(*codes.node->input(0)), &scale = name(*codes.node->input(1));
    rows.codes = stored;
    if (turned) rows.codes = transposed(stored);
    if (codes.block > 0) {
      rows.scales = transposed(scale);
      return rows;
    }
    const std::string column = names_.fresh(scale + "_column_shape");
    patch_.add_initializers.emplace_back(column, Tensor::from<int64_t>({2}, {-1, 1}));
    rows.scales = names_.fresh(scale + "_column");
    add("Reshape", rows.scales, {scale, column}, {});
    return rows;
  }

  const Graph& graph_;
  GraphPatch& patch_;
  NameSource names_;
  std::map<NodeId, Rows> rows_;
};

OpKind kind_of(const std::string& op) {
  return op == "Cast" ? OpKind::Cast : op == "Mul" ? OpKind::Mul : OpKind::Other;
}

}  // namespace

std::vector<TiedTable> find_tied_tables(const Graph& graph, const PlacementPlan& plan) {
  std::vector<TiedTable> found;
  const auto look_at = [&](const Node& gather, ValueId table) {
    const Tensor* numbers = gather.op_type == "Gather" ? graph.constant(table) : nullptr;
    if (!numbers || numbers->shape().rank() != 2) return;
    for (const WeightDecision& weight : plan.weights) {
      const Node& product = graph.node(weight.node);
      const OpKind kind = traits_of(graph, product).kind;
      if (weight.dynamic || weight.slot != 1 || (kind != OpKind::MatMul && kind != OpKind::Gemm)) continue;
      const Tensor* other = graph.constant(weight.value);
      const bool turned = kind == OpKind::MatMul || product.int_or("transB", 0) == 0;
      if (!other || weight.axis != (turned ? 1 : 0) || !has_numbers_of(*other, *numbers, turned)) continue;
      found.push_back({gather.name, product.name, graph.value(table).name, weight.slot, turned});
      break;
    }
  };
  for (const WeightDecision& table : plan.weights) look_at(graph.node(table.node), table.value);
  for (const TableDecision& table : plan.tables)
    for (const Use& use : graph.value(table.value).uses)
      if (table.gathered && use.slot == 0) look_at(graph.node(use.node), table.value);
  return found;
}

GraphPatch share_tied_codes(const Graph& written, std::span<const TiedTable> tables, bool blocks) {
  GraphPatch patch;
  patch.reason = "store the codes of tied tables once";
  Sharing sharing(written, patch);
  std::map<NodeId, size_t> left;  // DequantizeLinear of a table -> readers that still read it
  for (const TiedTable& table : tables) {
    const Node& gather = written.node(*written.find_node(table.gather));
    const MaybeNode product = written.find_node(table.product);
    const Codes own = codes_before(written, gather, 0);
    const Codes shared = product ? codes_before(written, written.node(*product), table.slot) : Codes{};
    if (!own.node || !shared.node || own.node == shared.node || own.block > 0) continue;
    if (shared.block > 0 ? !blocks || !table.turned || shared.axis != 0 : shared.axis != (table.turned ? 1 : 0))
      continue;
    if (own.numbers.scales.type() != shared.numbers.scales.type()) continue;
    if (agreement_db(own, shared, table.turned) < kLeastDb) continue;
    sharing.share(gather, shared, table.turned);
    const Value& floats = written.value(*own.node->output(0));
    if (--left.try_emplace(own.node->id, floats.uses.size()).first->second == 0)
      patch.remove_nodes.push_back(own.node->name);
  }
  return patch;
}

void promise_tied_codes(PromisedFile& promised, const GraphPatch& patch) {
  for (size_t i = 0; i < patch.rewire.size(); ++i) {
    const auto gather = std::ranges::find(promised.nodes, patch.rewire[i].node, &PromisedNode::name);
    gather->output = patch.rename_outputs[i].value;
    gather->inputs[0] = {.value = patch.rewire[i].value};
  }
  for (const NodeSpec& added : patch.add_nodes) {
    PromisedNode node{added.name, added.op_type, added.outputs[0], kind_of(added.op_type), {}, false};
    for (const std::string& input : added.inputs) node.inputs.push_back({.value = input});
    promised.nodes.push_back(std::move(node));
  }
}

}  // namespace detent
