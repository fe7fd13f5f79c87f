#include <fmt/core.h>

#include <cmath>
#include <string>

#include "exec/runnable_part.h"
#include "half/float_rules.h"

namespace detent::half {
namespace {

std::string reason_of(const Graph& graph, const RunnablePart& runnable, const Value& value, const ValueReach& reach,
                      const FloatFormat& format) {
  if (const MaybeNode node = runnable.stopped_by(value.id); node && std::isinf(reach.amax))
    return fmt::format("no sample reaches what stands behind {} '{}', which cannot run here", graph.node(*node).op_type,
                       graph.node(*node).name);
  if (std::isinf(reach.amax)) return "no pair and no weight bounds '" + value.name + "'; --data measures it";
  return fmt::format("'{}' {} {:.5g}, with headroom {} beyond {:.5g}", value.name,
                     is_bound(reach) ? "may reach" : "reaches", reach.amax, kHeadroom, format.largest);
}

}  // namespace

void overflow(FloatDraft& draft) {
  const RunnablePart runnable(draft.graph());
  for (const Value& value : draft.graph().values()) {
    const ValueReach* reach = draft.reach(value.id);
    if (!reach || reach->amax * kHeadroom <= draft.format().largest) continue;
    draft.keep_around(
        value.id,
        {{}, "overflow", value.id, reach->amax, reason_of(draft.graph(), runnable, value, *reach, draft.format())});
  }
}

}  // namespace detent::half
