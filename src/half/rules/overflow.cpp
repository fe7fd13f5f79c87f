#include <fmt/core.h>

#include <cmath>
#include <string>

#include "half/float_rules.h"

namespace detent::half {
namespace {

std::string reason_of(const std::string& name, const ValueReach& reach, const FloatFormat& format) {
  if (std::isinf(reach.amax)) return "no pair and no weight bounds '" + name + "'; --data measures it";
  return fmt::format("'{}' {} {:.5g}, with headroom {} beyond {:.5g}", name, is_bound(reach) ? "may reach" : "reaches",
                     reach.amax, kHeadroom, format.largest);
}

}  // namespace

void overflow(FloatDraft& draft) {
  for (const Value& value : draft.graph().values()) {
    const ValueReach* reach = draft.reach(value.id);
    if (!reach || reach->amax * kHeadroom <= draft.format().largest) continue;
    draft.keep_around(value.id, {{}, "overflow", value.id, reach->amax, reason_of(value.name, *reach, draft.format())});
  }
}

}  // namespace detent::half
