#include "equalize/equalizable_values.h"

#include <algorithm>

namespace detent {

std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph, const ValueShapes& shapes) {
  const std::vector<ChannelGroup> groups = find_channel_groups(graph, shapes);
  const std::vector<ChannelGroup> groups_behind = find_channel_groups(graph, shapes, ActivationFactors::Behind);
  std::vector<PlanReport::Equalizable> families;
  for (const EqualizeFamily family : kEqualizeFamilies) {
    PlanReport::Equalizable line{std::string(name_of(family)), {}};
    for (const ChannelGroup& group : family == EqualizeFamily::Act ? groups_behind : groups) {
      if (group.family != family) continue;
      for (const ChannelGroup::Member& member : group.members)
        if (member.stored) line.values.push_back(graph.value(member.value).name);
    }
    if (!line.values.empty()) families.push_back(std::move(line));
  }
  return families;
}

std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph, std::span<const ValueShapes> runs) {
  std::vector<PlanReport::Equalizable> families = equalizable_values(graph, runs.front());
  for (const ValueShapes& shapes : runs.subspan(1)) {
    const std::vector<PlanReport::Equalizable> others = equalizable_values(graph, shapes);
    for (PlanReport::Equalizable& line : families) {
      const auto other = std::ranges::find(others, line.family, &PlanReport::Equalizable::family);
      std::erase_if(line.values, [&](const std::string& value) {
        return other == others.end() || std::ranges::find(other->values, value) == other->values.end();
      });
    }
  }
  std::erase_if(families, [](const PlanReport::Equalizable& line) { return line.values.empty(); });
  return families;
}

}  // namespace detent
