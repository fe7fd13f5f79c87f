#include "explain/differences.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/text.h"
#include "explain/explain_layers.h"
#include "explain/layer_nodes.h"

namespace detent {

namespace {

using Row = ExplainReport::Layer;
using Difference = ExplainReport::Difference;
using Nodes = std::set<std::string>;
using Matched = std::vector<const Row*>;

/// Returns the nodes of a layer of the network without quantizers; nothing for other layers.
Nodes nodes_without_pairs(const Row& row) {
  Nodes nodes;
  if (row.kind != "layer") return nodes;
  for (const std::string& node : row.nodes)
    if (!is_quantizer(node) && !is_dequantizer(node)) nodes.insert(node);
  return nodes;
}

/// Returns true for names like Conv_22, whose number changes with every pair that is put in front.
bool is_numbered(const std::string& node) {
  return node.find('/') == std::string::npos && op_of(node).size() < node.size();
}

/// Returns what identifies a layer in another build: its nodes, or the weights in front of numbered ones.
Nodes key_of(const Row& row) {
  Nodes key = nodes_without_pairs(row);
  const auto weights = weights_in_name(row.name);
  if (key.empty() || weights.empty()) return key;
  std::erase_if(key, [](const std::string& node) { return is_numbered(node) && op_of(node) != "MaxPool"; });
  key.insert(weights.begin(), weights.end());
  return key;
}

/// Returns the operators of a layer in alphabetical order.
std::multiset<std::string_view> ops_of(const Row& row) {
  std::multiset<std::string_view> ops;
  for (const std::string& node : row.nodes)
    if (!is_quantizer(node) && !is_dequantizer(node)) ops.insert(op_of(node));
  return ops;
}

std::map<std::string, Matched> by_node(const std::vector<Row>& rows) {
  std::map<std::string, Matched> found;
  for (const Row& row : rows)
    for (const std::string& node : key_of(row)) found[node].push_back(&row);
  return found;
}

std::string computes_text(const Row* row) { return row->arithmetic + " -> " + row->output; }

std::optional<double> time_of(const Matched& rows) {
  std::optional<double> sum;
  for (const Row* row : rows)
    if (row->ms) sum = sum.value_or(0) + *row->ms;
  return sum;
}

Difference difference_of(const Matched& rows, const Matched& others) {
  const auto name = [](const Row* row) { return row->name; };
  Nodes nodes;
  for (const Matched* side : {&rows, &others})
    for (const Row* row : *side) nodes.merge(nodes_without_pairs(*row));
  return {{nodes.begin(), nodes.end()},
          join(rows, " | ", name),
          join(others, " | ", name),
          join(rows, " | ", computes_text),
          join(others, " | ", computes_text),
          time_of(rows),
          time_of(others)};
}

/// Layers of one engine and the layers of the other that hold common nodes.
struct Group {
  Matched rows, others;

  [[nodiscard]] bool alike() const {
    if (rows.size() != 1 || others.size() != 1) return false;
    const Row &row = *rows.front(), &other = *others.front();
    return ops_of(row) == ops_of(other) && row.arithmetic == other.arithmetic && row.output == other.output;
  }
};

/// Adds a layer of the other engine that has no common node: to the only group without a match that has the same
/// operators, such as a GlobalAveragePool under another number, else as a separate group.
void add_unmet(const Row& row, std::vector<Group>& groups) {
  const auto fits = [&row](const Group& group) {
    return group.rows.size() == 1 && group.others.empty() && ops_of(*group.rows.front()) == ops_of(row);
  };
  const auto group = std::ranges::find_if(groups, fits);
  if (group != groups.end() && std::ranges::count_if(groups, fits) == 1)
    group->others.push_back(&row);
  else
    groups.push_back({{}, {&row}});
}

/// Returns the groups in the first engine's order, followed by layers that only the other one has.
std::vector<Group> groups_of(const std::vector<Row>& rows, const std::vector<Row>& other) {
  std::vector<Group> groups;
  std::map<const Row*, size_t> group_of;  // of the other engine's layers
  const auto others_by_node = by_node(other);
  for (const Row& row : rows) {
    Matched others;
    for (const std::string& node : key_of(row))
      if (const auto found = others_by_node.find(node); found != others_by_node.end())
        others.insert(others.end(), found->second.begin(), found->second.end());
    const auto grouped = std::ranges::find_if(others, [&](const Row* match) { return group_of.contains(match); });
    const size_t group = grouped == others.end() ? groups.size() : group_of.at(*grouped);
    if (key_of(row).empty()) continue;
    if (group == groups.size()) groups.emplace_back();
    groups[group].rows.push_back(&row);
    for (const Row* match : others)
      if (group_of.try_emplace(match, group).second) groups[group].others.push_back(match);
  }
  for (const Row& row : other)
    if (!key_of(row).empty() && !group_of.contains(&row)) add_unmet(row, groups);
  return groups;
}

}  // namespace

ExplainReport::Against compare_layers(const std::vector<Row>& rows, const std::vector<Row>& other) {
  ExplainReport::Against against;
  against.layers = other.size();
  against.summary = summarize(other);
  for (const Group& group : groups_of(rows, other)) {
    if (group.alike())
      ++against.same;
    else
      against.differences.push_back(difference_of(group.rows, group.others));
  }
  return against;
}

}  // namespace detent
