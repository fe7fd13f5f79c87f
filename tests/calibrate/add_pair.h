#pragma once

#include "model/graph/graph.h"
#include "place/plan/placement_plan.h"

namespace detent::test {

/// A pair on the value where `node` reads it at `slot`. group  -1: the value has a scale of its own.
inline void add_pair(PlacementPlan& plan, const Graph& graph, const char* value, const char* node, int slot,
                     int group) {
  EdgeDecision edge;
  edge.value = graph.find_value(value);
  edge.consumer = graph.find_node(node);
  edge.slot = slot;
  edge.pair = true;
  edge.scale_group = group;
  plan.edges.push_back(edge);
}

}  // namespace detent::test
