#include "observe/table_sum.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "core/index.h"
#include "core/text.h"
#include "detent/base/error.h"

namespace detent {

namespace {

Error mismatch(const std::string& message, std::string hint = {}) {
  return {ErrorCode::TableMismatch, message, std::move(hint)};
}

template <class Item>
std::vector<Item> united(const std::vector<Item>& a, const std::vector<Item>& b) {
  std::vector<Item> result;
  std::ranges::set_union(a, b, std::back_inserter(result));
  return result;
}

std::string targets_text(const std::vector<std::string>& items) { return items.empty() ? "every target" : join(items); }

std::string equalized(const CalibrationTable& table) { return table.equalize.empty() ? "none" : table.equalize; }

void check_samples(const CalibrationTable& a, const CalibrationTable& b) {
  std::vector<TableSample> common;
  std::ranges::set_intersection(a.samples, b.samples, std::back_inserter(common));
  if (common.empty()) return;
  const auto name = [](const TableSample& sample) { return "'" + sample.name + "'"; };
  throw mismatch("both tables hold sample " + listed(common, 1, name) + ", which would count twice",
                 "merge every shard once");
}

template <class ByName>
bool same_names(const ByName& a, const ByName& b) {
  return std::ranges::equal(
      a, b, {}, [](const auto& entry) -> const std::string& { return entry.first; },
      [](const auto& entry) -> const std::string& { return entry.first; });
}

}  // namespace

std::vector<TableShard> united_shards(std::vector<TableShard> shards) {
  std::ranges::sort(shards);
  std::vector<TableShard> result;
  for (size_t begin = 0; begin < shards.size();) {
    const uint32_t count = shards[begin].count;
    const auto end = std::ranges::find_if(shards.begin() + as_extent(begin), shards.end(),
                                          [&](const TableShard& shard) { return shard.count != count; });
    std::vector<TableShard> same(shards.begin() + as_extent(begin), end);
    begin += same.size();
    // One of every index becomes a whole, as often as all of them are there.
    bool whole = false;
    for (bool complete = same.size() >= count; complete && !same.empty();) {
      std::vector<TableShard> left = same;
      for (uint32_t index = 1; index <= count && complete; ++index) {
        const auto found = std::ranges::find(left, TableShard{count, index, false});
        complete = found != left.end();
        if (complete) left.erase(found);
      }
      if (complete) same = left, whole = true;
    }
    if (whole) result.push_back({1, 1, false});
    result.insert(result.end(), same.begin(), same.end());
  }
  std::ranges::sort(result);
  const TableShard whole{1, 1, false};
  const auto [first, last] = std::ranges::equal_range(result, whole);
  if (first != last) result.erase(first + 1, last);
  return result;
}

std::vector<std::string> missing_shards(std::span<const TableShard> shards) {
  std::vector<std::string> missing;
  std::map<uint32_t, std::set<uint32_t>> there;  // indices by count
  for (const TableShard& shard : shards) {
    const std::string name = std::to_string(shard.index) + "/" + std::to_string(shard.count);
    if (shard.partial) missing.push_back(name + " (interrupted)");
    if (shard.count > 1) there[shard.count].insert(shard.index);
  }
  for (auto& [count, indices] : there) {
    const uint64_t end = uint64_t{count} + 1;
    uint64_t next = 1;
    const auto add_until = [&, count = count](uint64_t index) {
      if (next < index)
        missing.push_back(std::to_string(next) + (next + 1 < index ? "-" + std::to_string(index - 1) : "") + "/" +
                          std::to_string(count));
      next = index + 1;
    };
    for (const uint32_t index : indices) add_until(index);
    add_until(end);
  }
  return missing;
}

void check_mergeable(const CalibrationTable& a, const CalibrationTable& b, const TableMerging& options) {
  if (a.model != b.model)
    throw mismatch("the tables are of different models (fingerprints " + a.model + " and " + b.model + ")",
                   "merge tables of one model only");
  if (a.imported() || b.imported()) throw mismatch("imported scales cannot be merged: there is no histogram to add");
  if (a.targets != b.targets)
    throw mismatch("one table covers " + targets_text(a.targets) + ", the other " + targets_text(b.targets),
                   "calibrate all shards with the same --target");
  if (a.reaches.empty() != b.reaches.empty())
    throw mismatch("one table holds what all float values reach, the other does not",
                   "calibrate all shards with the same --float-type");
  if (!same_names(a.values, b.values) || !same_names(a.reaches, b.reaches) || a.groups != b.groups)
    throw mismatch("the tables cover different values", "calibrate all shards with the same options and version");
  if (a.instruction_sets != b.instruction_sets && !options.mixed_instruction_sets)
    throw mismatch("the tables were measured with different instruction sets (" + targets_text(a.instruction_sets) +
                       " and " + targets_text(b.instruction_sets) + "), whose results differ in the last bits",
                   "calibrate all shards with --isa avx2, or add --mixed-isa");
  if (a.equalize != b.equalize || a.equalization != b.equalization)
    throw mismatch(
        "the tables were measured with different equalizations (" + equalized(a) + " and " + equalized(b) + ")",
        "calibrate all shards of the same data with the same --equalize");
  check_samples(a, b);
}

namespace {

/// Merges types, of which a shard without samples knows none.
void add_reach(std::optional<ValueReach>& sum, const std::optional<ValueReach>& part) {
  if (!part) return;
  if (!sum) sum.emplace();
  sum->include(*part);
}

/// Returns for every sample of the united list, in its order, whether it comes from the first of the two lists.
std::vector<bool> origins(const std::vector<TableSample>& a, const std::vector<TableSample>& b) {
  std::vector<bool> from_first;
  for (size_t i = 0, k = 0; i + k < a.size() + b.size();) {
    const bool first = k == b.size() || (i < a.size() && a[i] < b[k]);
    from_first.push_back(first);
    ++(first ? i : k);
  }
  return from_first;
}

template <class Item>
std::vector<Item> interleaved(const std::vector<Item>& a, const std::vector<Item>& b,
                              const std::vector<bool>& from_first) {
  std::vector<Item> result;
  result.reserve(from_first.size());
  auto in_a = a.begin(), in_b = b.begin();
  for (const bool first : from_first) result.push_back(first ? *in_a++ : *in_b++);
  return result;
}

}  // namespace

void merge_into(CalibrationTable& total, const CalibrationTable& part, const TableMerging& options) {
  check_mergeable(total, part, options);
  total.tools = united(total.tools, part.tools);
  total.instruction_sets = united(total.instruction_sets, part.instruction_sets);
  std::vector<TableShard> shards = total.shards;
  shards.insert(shards.end(), part.shards.begin(), part.shards.end());
  total.shards = united_shards(std::move(shards));
  // With the extremes of only some samples a range would depend on which they are.
  const bool keep_extremes = total.has_extremes() && part.has_extremes();
  const std::vector<bool> from_total = origins(total.samples, part.samples);
  total.samples = interleaved(total.samples, part.samples, from_total);
  auto into = total.values.begin();
  for (const auto& [name, value] : part.values) {
    TableValue& sum = (into++)->second;
    sum.histogram.merge(value.histogram);
    sum.extremes = keep_extremes ? interleaved(sum.extremes, value.extremes, from_total) : std::vector<Extremes>{};
  }
  auto reach_into = total.reaches.begin();
  for (const auto& [name, reach] : part.reaches) add_reach((reach_into++)->second, reach);
  // Tokens of only some samples would mislead: a value that one of the two lacks (made by an older version) is dropped.
  std::erase_if(total.tokens, [&](const auto& entry) { return !part.tokens.contains(entry.first); });
  for (auto& [name, tokens] : total.tokens) tokens.include(part.tokens.at(name));
}

}  // namespace detent
