#include "equalize/spread_channels.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "ops/traits.h"

namespace detent {

namespace {

using Table = std::vector<int64_t>;

/// Most entries of an axis that a Reshape merges before it splits it.
constexpr size_t kMostMerged = 1 << 22;

Table zeros(int64_t count) { return Table(static_cast<size_t>(count)); }

bool is_even(const Table& table) {
  return std::ranges::all_of(table, [](int64_t channel) { return channel == 0; });
}

/// Moves what all entries of a table share into the offset.
void settle(SpreadChannels& channels) {
  for (Table& table : channels.tables) {
    const int64_t first = table.empty() ? 0 : table.front();
    channels.offset += first;
    for (int64_t& channel : table) channel -= first;
  }
}

/// Returns one table for two axes that become one, the first outside.
Table merged(const Table& outer, const Table& inner) {
  Table table;
  for (const int64_t a : outer)
    for (const int64_t b : inner) table.push_back(a + b);
  return table;
}

/// Splits the table of an axis into `outer` rows; nullopt where the rows differ by more than a constant.
std::optional<std::pair<Table, Table>> split(const Table& table, size_t outer) {
  const size_t inner = table.size() / outer;
  Table rows, row(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(inner));
  for (size_t r = 0; r < outer; ++r) {
    rows.push_back(table[r * inner] - table[0]);
    for (size_t i = 0; i < inner; ++i)
      if (table[r * inner + i] != row[i] + rows.back()) return std::nullopt;
  }
  return std::pair{std::move(rows), std::move(row)};
}

/// Reshapes: merges input axes until output axes come out whole.
std::optional<std::vector<Table>> reshaped(const std::vector<Table>& tables, const Shape& out) {
  std::vector<Table> result;
  Table rest{0};
  size_t next = 0;
  for (const int64_t extent : out) {
    const auto wanted = static_cast<size_t>(extent);
    if (wanted == 0) return std::nullopt;
    while (rest.size() % wanted != 0) {
      if (next == tables.size() || rest.size() > kMostMerged) return std::nullopt;
      rest = merged(rest, tables[next++]);
    }
    auto parts = split(rest, wanted);
    if (!parts) return std::nullopt;
    result.push_back(std::move(parts->first));
    rest = std::move(parts->second);
  }
  for (; next < tables.size(); ++next) rest = merged(rest, tables[next]);
  if (rest.size() != 1) return std::nullopt;
  if (!result.empty())
    for (int64_t& channel : result.back()) channel += rest.front();
  return result;
}

std::optional<Table> integers(const Graph& graph, MaybeValue value) {
  const Tensor* constant = graph.constant(value);
  if (!constant) return std::nullopt;
  const Tensor wide = cast(*constant, DataType::Int64);
  return Table(wide.data<int64_t>().begin(), wide.data<int64_t>().end());
}

/// Returns the index of an axis that may count from the end; nullopt where there is none.
std::optional<size_t> axis_at(int64_t axis, size_t rank) {
  if (axis < 0) axis += static_cast<int64_t>(rank);
  return axis >= 0 && axis < static_cast<int64_t>(rank) ? std::optional(static_cast<size_t>(axis)) : std::nullopt;
}

/// Replaces a table by its entries at `indices`, which may count from the end.
bool pick(Table& table, const Table& indices) {
  Table picked;
  for (const int64_t index : indices) {
    const auto at = axis_at(index, table.size());
    if (!at) return false;
    picked.push_back(table[*at]);
  }
  table = std::move(picked);
  return true;
}

bool gather(const Graph& graph, const Node& node, SpreadChannels& channels) {
  const auto axis = axis_at(node.int_or("axis", 0), channels.tables.size());
  const auto indices = integers(graph, node.input(1));
  if (!axis || !indices || !pick(channels.tables[*axis], *indices)) return false;
  const size_t rank = graph.constant(node.input(1))->shape().rank();
  if (rank == 0) {
    channels.offset += channels.tables[*axis].front();
    channels.tables.erase(channels.tables.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return rank <= 1;
}

bool slice(const Graph& graph, const Node& node, SpreadChannels& channels) {
  const auto starts = integers(graph, node.input(1)), ends = integers(graph, node.input(2));
  auto axes = integers(graph, node.input(3)), steps = integers(graph, node.input(4));
  if (!starts || !ends || starts->size() != ends->size() || (node.input(3) && !axes)) return false;
  if (node.input(4) && (!steps || std::ranges::any_of(*steps, [](int64_t s) { return s != 1; }))) return false;
  if (!axes) {
    axes = zeros(std::ssize(*starts));
    std::iota(axes->begin(), axes->end(), 0);
  }
  for (size_t i = 0; i < starts->size(); ++i) {
    const auto axis = axis_at(axes->at(i), channels.tables.size());
    if (!axis) return false;
    Table& table = channels.tables[*axis];
    const auto bound = [&](int64_t index) {
      return std::clamp<int64_t>(index < 0 ? index + std::ssize(table) : index, 0, std::ssize(table));
    };
    const int64_t first = bound((*starts)[i]), last = bound((*ends)[i]);
    if (first >= last) return false;
    table = Table(table.begin() + first, table.begin() + last);
  }
  return true;
}

bool part(const ValueShapes& shapes, const Node& node, size_t output, SpreadChannels& channels) {
  const auto axis = axis_at(node.int_or("axis", 0), channels.tables.size());
  if (!axis) return false;
  int64_t first = 0, count = 0;
  for (size_t i = 0; i <= output; ++i) {
    const Shape* shape = find_shape(shapes, node.output(i));
    if (!shape || shape->rank() <= *axis) return false;
    first += count;
    count = (*shape)[*axis];
  }
  Table& table = channels.tables[*axis];
  if (first + count > std::ssize(table)) return false;
  table = Table(table.begin() + first, table.begin() + first + count);
  return true;
}

/// Repeats each axis to the extents of `out`, new axes in front.
bool repeat(SpreadChannels& channels, const Shape& out) {
  std::vector<Table>& tables = channels.tables;
  if (out.rank() < tables.size()) return false;
  tables.insert(tables.begin(), out.rank() - tables.size(), Table{0});
  for (size_t axis = 0; axis < out.rank(); ++axis) {
    const auto extent = static_cast<size_t>(out[axis]), own = tables[axis].size();
    if (own == 0 || extent % own != 0) return false;
    for (size_t i = own; i < extent; ++i) tables[axis].push_back(tables[axis][i % own]);
  }
  return true;
}

bool move(const Graph& graph, const ValueShapes& shapes, const Node& node, size_t output, const Shape& out,
          SpreadChannels& channels) {
  switch (traits_of(graph, node).kind) {
    case OpKind::Reshape:
      if (auto tables = reshaped(channels.tables, out)) {
        channels.tables = std::move(*tables);
        return true;
      }
      return false;
    case OpKind::Transpose: {
      Table order = node.ints_or("perm", {});
      if (order.empty())
        for (size_t axis = channels.tables.size(); axis > 0; --axis) order.push_back(static_cast<int64_t>(axis - 1));
      std::vector<Table> tables;
      for (const int64_t axis : order) tables.push_back(channels.tables.at(static_cast<size_t>(axis)));
      channels.tables = std::move(tables);
      return true;
    }
    case OpKind::Gather: return gather(graph, node, channels);
    case OpKind::Slice: return slice(graph, node, channels);
    case OpKind::Split: return part(shapes, node, output, channels);
    case OpKind::Expand:
    case OpKind::Tile: return repeat(channels, out);
    default: return false;
  }
}

/// True when the tables are as long as the axes of the value.
bool fits(const SpreadChannels& channels, const Shape& shape) {
  return std::ranges::equal(channels.tables, shape,
                            [](const Table& table, int64_t extent) { return std::ssize(table) == extent; });
}

}  // namespace

SpreadChannels SpreadChannels::of(ValueId value, const Shape& shape, size_t axis) {
  SpreadChannels channels{value, 0, {}};
  for (const int64_t extent : shape) channels.tables.push_back(zeros(extent));
  std::iota(channels.tables.at(axis).begin(), channels.tables.at(axis).end(), int64_t{0});
  return channels;
}

std::vector<int64_t> SpreadChannels::channels() const {
  std::set<int64_t> found{offset};
  for (const Table& table : tables) {
    const std::set<int64_t> steps(table.begin(), table.end());
    std::set<int64_t> sums;
    for (const int64_t channel : found)
      for (const int64_t step : steps) sums.insert(channel + step);
    found = std::move(sums);
  }
  return {found.begin(), found.end()};
}

std::optional<std::vector<int64_t>> SpreadChannels::along(size_t axis) const {
  for (size_t other = 0; other < tables.size(); ++other)
    if (other != axis && !is_even(tables[other])) return std::nullopt;
  std::vector<int64_t> channels = tables.at(axis);
  for (int64_t& channel : channels) channel += offset;
  return channels;
}

std::optional<SpreadChannels> moved(const Graph& graph, const ValueShapes& shapes, const Node& node, size_t output,
                                    SpreadChannels channels) {
  const Shape* out = find_shape(shapes, node.output(output));
  if (!out || !move(graph, shapes, node, output, *out, channels)) return std::nullopt;
  settle(channels);
  return fits(channels, *out) ? std::optional(std::move(channels)) : std::nullopt;
}

std::optional<SpreadChannels> averaged(const ValueShapes& shapes, const Node& product, SpreadChannels values) {
  const Shape* found = find_shape(shapes, product.output(0));
  if (!found) return std::nullopt;
  const Shape& out = *found;
  std::vector<Table>& tables = values.tables;
  if (tables.size() < 2 || out.rank() < tables.size()) return std::nullopt;
  Table& summed = tables[tables.size() - 2];
  if (!is_even(summed)) return std::nullopt;
  summed = zeros(out[out.rank() - 2]);
  if (std::ssize(tables.back()) != out[out.rank() - 1] || !repeat(values, out)) return std::nullopt;
  return values;
}

}  // namespace detent
