#include "report/text/findings.h"

#include <algorithm>
#include <set>

#include "core/shown_text.h"
#include "core/text.h"
#include "report/quantities.h"

namespace detent {

namespace {

constexpr size_t kExamples = 3;  // of a kind whose findings differ

using Group = std::vector<const LintReport::Finding*>;

std::string finding_share_text(double share) { return share > 0 ? "  (" + percent_text(share) + " of MACs)" : ""; }

std::string finding_text(const LintReport::Finding& finding, const std::string& cure) {
  return "  " + finding.node + finding_share_text(finding.mac_share) + "\n    " + finding.message + "\n" +
         (finding.cure == cure ? "" : "    cure: " + finding.cure + "\n");
}

/// Returns ": a, b and 4 more"; " at a, b" where a node has several of the findings.
std::string nodes_text(std::vector<std::string> names, Listing& listing) {
  std::set<std::string> seen;
  const auto repeated = std::erase_if(names, [&seen](const std::string& name) { return !seen.insert(name).second; });
  return (repeated ? " at " : ": ") + listing.names(names);
}

/// Returns the number and nodes of the findings like the first of `names`; "" for none.
std::string others_like(std::vector<std::string> names, Listing& listing) {
  const std::string first = names.front();
  names.erase(names.begin());
  if (names.empty()) return {};
  const bool there = std::ranges::all_of(names, [&first](const std::string& name) { return name == first; });
  return "  " + std::to_string(names.size()) + " like this" + (there ? " there" : nodes_text(names, listing)) + "\n";
}

/// Prints one finding of each message, and the number of similar ones.
std::string group_text(const Group& group, Listing& listing) {
  std::string text = "\n" + group.front()->level + "  " + group.front()->id;
  if (group.size() > 1) text += ", " + std::to_string(group.size()) + " times";
  text += "\n";
  std::vector<std::string> patterns, others;
  for (const auto* finding : group) patterns.push_back(pattern_of(finding->message));
  const auto alike = listing.groups(patterns);
  const size_t shown = listing.shown(alike.size(), kExamples);
  std::string cure;  // printed once where it is the same
  for (size_t i = 0; i < alike.size(); ++i) {
    std::vector<std::string> names;
    for (const size_t index : alike[i]) names.push_back(group[index]->node);
    if (i >= shown) {
      others.insert(others.end(), names.begin(), names.end());
      continue;
    }
    text += finding_text(*group[alike[i].front()], cure);
    cure = group[alike[i].front()]->cure;
    text += others_like(std::move(names), listing);
  }
  if (!others.empty()) text += "  " + std::to_string(others.size()) + " more" + nodes_text(others, listing) + "\n";
  return text;
}

}  // namespace

std::string findings_text(const std::vector<LintReport::Finding>& findings, Listing& listing) {
  std::vector<LintReport::Finding> shown = findings;
  for (auto& finding : shown)
    for (std::string* said : {&finding.node, &finding.message, &finding.cure}) *said = shown_text(*said, Lines::Escape);
  std::string text;
  for (const Group& group : grouped(shown, kind_key)) text += group_text(group, listing);
  return text;
}

}  // namespace detent
