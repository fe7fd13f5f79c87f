#include "lint/built_for.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "core/text.h"
#include "lint/finding_list.h"

namespace detent {

namespace {

constexpr size_t kFewer = 4;

/// True for a finding about float types, which do not depend on the engine.
bool is_about_types(std::string_view id) {
  return std::ranges::any_of(
      finding_list(), [id](const FindingKind& kind) { return kind.id == id && kind.scope == FindingScope::Types; });
}

size_t above_note(const LintedGraph& linted) {
  return static_cast<size_t>(std::ranges::count_if(linted.findings, [](const auto& found) {
    return found.finding.level != FindingLevel::Note && !is_about_types(found.finding.id);
  }));
}

/// Returns the default version of the engine to compare with.
const Target& other_engine(const Target& target) { return find_target(target.engine.other_engine); }

}  // namespace

std::string codes_text(const QdqReading& reading) {
  std::set<std::string> types;
  bool shifted = false, int32_biases = false;
  for (const QdqNode& node : reading.nodes) {
    int32_biases |= node.role == QdqRole::Bias && node.codes == DataType::Int32;
    if (node.role != QdqRole::Activation) continue;
    std::string type(node.codes == DataType::Float8E4M3FN ? "FP8" : name_of(node.codes));
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::toupper(c); });
    types.insert(type);
    shifted |= std::ranges::any_of(node.zero_points, [](int64_t point) { return point != 0; });
  }
  if (types.empty()) return {};
  std::string text = join(types, " and ");
  text = shifted ? text + " with zero points" : "symmetric " + text;
  return text + (int32_biases ? ", INT32 biases" : "");
}

BuiltFor built_for(const LintedGraph& linted, const Graph& graph, const QdqReading& reading, const Target& target,
                   const ValueShapes& shapes, const LintedFile& file) {
  if (above_note(linted) == 0) return {};
  const Target& other = other_engine(target);
  const LintedGraph there = lint_graph(graph, reading, other, shapes, file);
  if (above_note(there) * kFewer > above_note(linted)) return {};
  std::set<std::pair<std::string_view, std::string>> found;
  for (const auto& one : there.findings) found.emplace(one.finding.id, one.finding.node);
  BuiltFor result{&other, 0};
  for (const auto& one : linted.findings)
    result.following += !is_about_types(one.finding.id) && !found.contains({one.finding.id, one.finding.node});
  return result;
}

}  // namespace detent
