#include <fmt/core.h>

#include "half/float_rules.h"

namespace detent::half {
namespace {

void keep_where_zero_hurts(FloatDraft& draft, const Value& value, uint64_t lost) {
  for (const Use& use : value.uses) {
    const Node& reader = draft.graph().node(use.node);
    if (use.slot < 0 || !magnifies_zero(reader, use.slot)) continue;
    draft.keep_around(value.id, {{},
                                 "rounding",
                                 value.id,
                                 static_cast<double>(lost),
                                 fmt::format("{} elements of '{}' become 0, and '{}' ({}) turns that into infinity",
                                             lost, value.name, reader.name, reader.op_type)});
    return;
  }
}

}  // namespace

void rounding(FloatDraft& draft) {
  for (const Value& value : draft.graph().values()) {
    const ValueReach* reach = draft.reach(value.id);
    if (!reach) continue;
    const double db = rounding_db(*reach, draft.format());
    if (db < draft.format().least_db())
      draft.keep_around(value.id,
                        {{},
                         "rounding",
                         value.id,
                         db,
                         fmt::format("'{}' is so small (|max| {:.3g}) that rounding leaves an SQNR of {:.0f} dB",
                                     value.name, reach->amax, db)});
    else if (const uint64_t lost = vanishing(*reach, draft.format()); lost > 0)
      keep_where_zero_hurts(draft, value, lost);
  }
}

}  // namespace detent::half
