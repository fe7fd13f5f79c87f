#include "half/float_rules.h"

#include <fmt/core.h>

namespace detent::half {

void overflow(FloatDraft& draft) {
  for (const Value& value : draft.graph().values()) {
    const ValueReach* reach = draft.reach(value.id);
    if (!reach || reach->amax * kHeadroom <= draft.format().largest) continue;
    draft.keep_around(value.id,
                      {kNoNode, "overflow", value.id, reach->amax,
                       reaches_text(draft.graph(), value.id, reach->amax) +
                           fmt::format(", with headroom {} beyond {:.5g}", kHeadroom, draft.format().largest)});
  }
}

}  // namespace detent::half
