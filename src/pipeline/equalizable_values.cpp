#include "pipeline/equalizable_values.h"

namespace detent {

std::vector<PlanReport::Equalizable> equalizable_values(const Graph& graph, const Shapes& shapes) {
  const std::vector<ChannelGroup> groups = find_channel_groups(graph, shapes);
  const std::vector<ChannelGroup> groups_behind = find_channel_groups(graph, shapes, true);
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

}  // namespace detent
