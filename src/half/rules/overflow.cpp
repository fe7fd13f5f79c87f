#include <fmt/core.h>

#include "half/float_rules.h"

namespace detent::half {

void overflow(FloatDraft& draft) {
  for (const Value& value : draft.graph().values()) {
    const ValueReach* reach = draft.reach(value.id);
    if (!reach || reach->amax * kHeadroom <= draft.format().largest) continue;
    draft.keep_around(value.id, {kNoNode, "overflow", value.id, reach->amax,
                                 fmt::format("'{}' reaches {:.5g}, with headroom {} beyond {:.5g}", value.name,
                                             reach->amax, kHeadroom, draft.format().largest)});
  }
}

}  // namespace detent::half
