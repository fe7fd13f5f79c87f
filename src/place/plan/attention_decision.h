#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "attention/attention_block.h"
#include "detent/options/placement_options.h"
#include "detent/reports/runs.h"
#include "place/plan/rule.h"

namespace detent {

/// The form that a block of attention gets.
struct AttentionDecision {
  AttentionBlock block;
  Runs runs = Runs::Float;  ///< on codes: its operands carry pairs, in the form that the engine fuses
  RuleId rule = nullptr;
  std::string reason;
  std::string otherwise;     ///< what the other choice of --policy attention gives; empty where there is none
  bool may_be_int8 = false;  ///< it becomes INT8 where data show that this costs little
  int64_t macs = 0;          ///< of both products for one sample; 0 where sizes are not known
};

/// True where the options ask for pairs at products of two activations.
[[nodiscard]] constexpr bool quantizes_attention(const PlacementOptions& options) {
  return options.attention == PlacementOptions::Attention::Int8 ||
         options.attention == PlacementOptions::Attention::Fp8;
}

/// Returns the option that asks for pairs of the plan's type: "--policy attention=int8".
[[nodiscard]] constexpr std::string_view attention_option(const PlacementOptions& options) {
  return options.type == CodeType::Fp8 ? "--policy attention=fp8" : "--policy attention=int8";
}

}  // namespace detent
