#include <fmt/core.h>

#include "half/float_rules.h"

namespace detent::half {
namespace {

void keep_where_zero_hurts(FloatDraft& draft, const Value& value, const ValueReach& reach) {
  for (const Use& use : value.uses) {
    const Node& reader = draft.graph().node(use.node);
    if (use.slot < 0 || !magnifies_zero(reader, use.slot)) continue;
    draft.keep_around(value.id, {kNoNode, "rounding", value.id, static_cast<double>(reach.vanishing),
                                 fmt::format("{} elements of '{}' become 0, and '{}' ({}) turns that into infinity",
                                             reach.vanishing, value.name, reader.name, reader.op_type)});
    return;
  }
}

}  // namespace

void rounding(FloatDraft& draft) {
  for (const Value& value : draft.graph().values()) {
    const ValueReach* reach = draft.reach(value.id);
    if (!reach) continue;
    const double db = reach->rounding_db();
    if (db < draft.format().least_db())
      draft.keep_around(value.id, {kNoNode, "rounding", value.id, db,
                                   fmt::format("'{}' is so small (|max| {:.3g}) that rounding leaves {:.0f} dB of it",
                                               value.name, reach->amax, db)});
    else if (reach->vanishing > 0)
      keep_where_zero_hurts(draft, value, *reach);
  }
}

}  // namespace detent::half
