#include "exec/lean.h"

#include "core/memory_limit.h"

namespace detent {

uint64_t weight_bytes(const Graph& graph) {
  uint64_t elements = 0;
  for (const Value& value : graph.values())
    if (value.is_constant && value.declared_shape && value.declared_shape->size() > 1)
      elements += static_cast<uint64_t>(Shape(*value.declared_shape).element_count());
  return elements * sizeof(float);
}

bool is_lean(const Graph& graph) { return weight_bytes(graph) > uint64_t{1} << 30; }

bool runs_alone(const Graph& graph) { return weight_bytes(graph) > uint64_t{256} << 20; }

bool has_room_for_copies(const Graph& graph) {
  const uint64_t bytes = weight_bytes(graph);
  return held_memory() < bytes / 4 && memory_has_room(bytes / 4 * 5);
}

}  // namespace detent
