#include "explain/causes.h"

#include <array>

#include "explain/cause_rules.h"

namespace detent {

namespace {

using Rule = std::optional<Cause> (*)(const EngineView&, size_t);

constexpr std::array<Rule, 22> kRules{runs_on_cpu,
                                      lies_without_pairs,
                                      lacks_int8_kernel,
                                      serves_layer_without_kernel,
                                      pair_in_front_of_add,
                                      writes_floats,
                                      quantizes_network_input,
                                      quantizes_beside_float_reader,
                                      quantizes_behind_float_layer,
                                      dequantizes,
                                      dequantizes_constant,
                                      lacks_int8_kernel_by_name,
                                      quantizer_by_name,
                                      reformats_at_border,
                                      changes_type,
                                      changes_layout,
                                      reformat_by_name,
                                      copies_into_joint_tensor,
                                      copies,
                                      block_by_name,
                                      normalization_by_name,
                                      float_by_name};

}  // namespace

std::optional<Cause> cause_of(const EngineView& view, size_t layer) {
  for (const Rule& rule : kRules)
    if (auto found = rule(view, layer)) return found;
  return std::nullopt;
}

}  // namespace detent
