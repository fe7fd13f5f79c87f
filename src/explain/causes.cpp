#include "explain/causes.h"

#include <array>

#include "explain/cause_rules.h"

namespace detent {

namespace {

using Rule = std::optional<Cause> (*)(const EngineView&, size_t);

constexpr std::array<Rule, 13> kRules{pair_in_front_of_add,
                                      writes_floats,
                                      quantizes_network_input,
                                      quantizes_beside_float_reader,
                                      quantizes_behind_float_layer,
                                      dequantizes,
                                      dequantizes_constant,
                                      quantizer_by_name,
                                      reformats_at_border,
                                      changes_type,
                                      changes_layout,
                                      reformat_by_name,
                                      copies};

}  // namespace

std::optional<Cause> cause_of(const EngineView& view, size_t layer) {
  for (const Rule& rule : kRules)
    if (auto found = rule(view, layer)) return found;
  return std::nullopt;
}

}  // namespace detent
