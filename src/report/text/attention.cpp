#include <algorithm>
#include <string>
#include <vector>

#include "report/text/text.h"

namespace detent {

namespace {

/// Returns "8 heads of 32, 256 x 256 tokens, mask, rotary positions"; what is not known is left out.
std::string size_text(const PlanReport::Attention& block) {
  std::vector<std::string> parts;
  const auto number = [](size_t count) { return count == 0 ? std::string("?") : std::to_string(count); };
  if (block.head_size > 0) parts.push_back(number(block.heads) + " heads of " + number(block.head_size));
  if (block.queries > 0 || block.keys > 0)
    parts.push_back(number(block.queries) + " x " + number(block.keys) + " tokens");
  if (block.masked) parts.emplace_back("mask");
  if (block.rotary) parts.emplace_back("rotary positions");
  if (block.grouped) parts.emplace_back("grouped queries");
  return join(parts);
}

std::string name_text(const PlanReport::Attention& block) {
  return block.first_product == block.second_product ? block.first_product
                                                     : block.first_product + " .. " + block.second_product;
}

}  // namespace

std::string attention_line(const PlanReport& plan) {
  const auto key = [](const PlanReport::Attention& block) {
    return (block.quantized ? "1" : "0") + pattern_of(block.reason) + "\n" + pattern_of(block.otherwise);
  };
  std::string text;
  for (const auto& group : grouped(plan.attention, key)) {
    const PlanReport::Attention& first = *group.front();
    text += "attention: " + plural(group.size(), "block") + " " +
            (first.quantized ? std::string(name_of(plan.coverage.type)) : "float") + ", " + first.reason;
    if (!first.otherwise.empty()) text += "; " + first.otherwise;
    text += "\n";
  }
  return text;
}

std::string attention_text(const PlanReport& plan, Listing& listing) {
  if (plan.attention.empty()) return {};
  std::vector<std::string> keys;
  for (const auto& block : plan.attention)
    keys.push_back((block.quantized ? "1" : "0") + size_text(block) + "\n" + pattern_of(block.reason) + "\n" +
                   pattern_of(block.otherwise));
  std::string text = "\nattention\n";
  for (const std::vector<size_t>& group : listing.groups(keys)) {
    std::vector<std::string> names;
    int64_t macs = 0;
    for (const size_t i : group) {
      names.push_back(name_text(plan.attention[i]));
      macs += plan.attention[i].macs;
    }
    const auto& first = plan.attention[group.front()];
    const std::string sizes = size_text(first);
    text += std::string("  ") + (first.quantized ? std::string(name_of(plan.coverage.type)) : "float") + " " +
            listing.names(names) + (sizes.empty() ? "" : " (" + sizes + ")");
    if (macs > 0 && plan.coverage.macs > 0)
      text += ", " + share_text(macs, plan.coverage.macs) + " of the layers' MACs";
    text += "  " + first.rule + ": " + first.reason + "\n";
    if (!first.otherwise.empty()) text += "        " + first.otherwise + "\n";
  }
  return text;
}

}  // namespace detent
