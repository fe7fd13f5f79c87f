#include "place/draft/tables.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <string_view>

#include "core/float_type.h"
#include "place/plan/least_codes.h"

namespace detent {

namespace {

constexpr int64_t kLeastRows = 4;  // the scales of the columns take as much as four rows of codes

bool is_large(const Tensor& table) {
  const Shape& shape = table.shape();
  const bool is_float = table.type() == DataType::Float32 || is_half(table.type());
  return is_float && shape.rank() >= 2 && shape.element_count() >= kLeastCodes &&
         shape.element_count() >= kLeastRows * shape[shape.rank() - 1];
}

bool is_use_of(const GraphFacts& facts, const Use& use, std::string_view op) {
  return facts.node(use.node).op_type == op;
}

bool gathers_rows(const GraphFacts& facts, const Use& use) {
  return is_use_of(facts, use, "Gather") && use.slot == 0 && facts.node(use.node).int_or("axis", 0) == 0;
}

/// True when a product reads the rows. Engines then treat the rows as INT8 activations, whose scale must be for the
/// whole tensor.
bool feeds_product(const GraphFacts& facts, const Node& gather) {
  return std::ranges::any_of(facts.value(*gather.output(0)).uses, [&](const Use& use) {
    return facts.kind(use.node) == OpKind::MatMul || facts.kind(use.node) == OpKind::Gemm;
  });
}

/// True for the weight of a Gemm that computes in INT8: its codes may stand for the table as well.
bool is_coded_weight(const GraphFacts& facts, const PlacementDraft& draft, const Use& use) {
  return facts.kind(use.node) == OpKind::Gemm && use.slot >= 0 && facts.weight_slot(use.node) == use.slot &&
         draft.is_int8(use.node);
}

/// True when the node reads the constant number by number, and is not required to read floats.
bool may_read_codes(const GraphFacts& facts, const PlacementDraft& draft, const Use& use) {
  const bool costly = draft.measured().costly.contains(facts.node(use.node).name);
  if (use.slot < 0 || facts.is_foreign(use.node) || draft.is_excluded(use.node) || costly) return false;
  if (gathers_rows(facts, use)) return !feeds_product(facts, facts.node(use.node));
  const auto reads_numbers = [&](std::string_view op) { return is_use_of(facts, use, op); };
  return std::ranges::any_of(std::initializer_list<std::string_view>{"Add", "Sub", "Mul", "Where"}, reads_numbers);
}

/// True for more than one row of more than one number: not a vector, ignoring extents of 1.
bool has_rows(const Shape& shape) {
  return std::ranges::count_if(shape, [](int64_t extent) { return extent > 1; }) > 1;
}

}  // namespace

std::vector<TableDecision> find_tables(const GraphFacts& facts, const PlacementDraft& draft) {
  const Graph& graph = facts.graph();
  std::vector<TableDecision> tables;
  std::set<ValueId> seen;
  for (const Node& node : graph.nodes())
    for (const ValueId input : present(node.inputs)) {
      const Tensor* table = graph.constant(input);
      if (!table || !seen.insert(input).second || !is_large(*table)) continue;
      const Value& value = graph.value(input);
      const auto all = [&](auto&& holds) { return std::ranges::all_of(value.uses, holds); };
      const auto gathers = [&](const Use& use) { return gathers_rows(facts, use); };
      const bool tied = std::ranges::any_of(value.uses, gathers);
      const auto codes = [&](const Use& use) {
        return may_read_codes(facts, draft, use) || (tied && is_coded_weight(facts, draft, use));
      };
      if (value.is_output || !all(codes)) continue;
      const bool gathered =
          all([&](const Use& use) { return gathers(use) || (tied && is_coded_weight(facts, draft, use)); });
      const bool positions =
          has_rows(table->shape()) && all([&](const Use& use) { return is_use_of(facts, use, "Add"); });
      tables.push_back({.value = input, .node = node.id, .gathered = gathered, .exact = !gathered && !positions});
    }
  return tables;
}

double column_codes_db(const Tensor& table) {
  const Tensor floats = cast(table, DataType::Float32);
  const std::span<const float> values = floats.data<float>();
  const Shape& shape = table.shape();
  const auto columns = static_cast<size_t>(std::max<int64_t>(shape[shape.rank() - 1], 1));
  std::vector<float> amax(columns, 0), squares(columns, 0), counts(columns, 0);
  double signal = 0, noise = 0;
  for (size_t row = 0; row + columns <= values.size(); row += columns)
    for (size_t c = 0; c < columns; ++c) {
      const float x = std::abs(values[row + c]);
      amax[c] = std::max(amax[c], x);
      squares[c] += x * x;
      counts[c] += x > 0;
    }
  for (size_t c = 0; c < columns; ++c) {
    const double step = static_cast<double>(amax[c]) / 127;
    signal += squares[c], noise += counts[c] * step * step / 12;
  }
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!std::isfinite(signal)) return -kInfinity;
  if (noise == 0) return kInfinity;
  return 10 * std::log10(signal / noise);
}

}  // namespace detent
