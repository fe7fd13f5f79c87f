#include "tune/int8_attention.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/text.h"
#include "run/sample_counts.h"
#include "run/sample_subset.h"
#include "tune/acceptance.h"

namespace detent {

namespace {

std::string cost_text(const AcceptanceReport& judgement) {
  const double cost = judgement.before_db.value_or(0) - judgement.after_db.value_or(0);
  if (!(cost > 0)) return fmt::format("costs nothing on {}", plural(judgement.samples, "sample"));
  return fmt::format("costs {:.2f} dB of the mean SQNR on {}", cost, plural(judgement.samples, "sample"));
}

}  // namespace

AttentionTrial find_int8_attention(PairVariants& variants, const DataSource& source, const RunSettings& settings) {
  KeptFloat blocks;
  for (const AttentionDecision& decision : variants.whole().attention)
    if (decision.may_be_int8) blocks.emplace(variants.graph().node(decision.block.first).name, "INT8 attention");
  if (blocks.empty()) return {};
  const PlacementPlan with = variants.plan_with(&MeasuredFacts::int8_attention, blocks);
  variants.measure_for({&with, 1});
  const SampleSubset samples(source, samples_by_hash(source, kProbingSamples));
  const AcceptanceReport judgement = judge_change({variants.float_model(),
                                                   [&] { return variants.model(variants.whole()); },
                                                   [&] { return variants.model(with); },
                                                   samples,
                                                   settings,
                                                   "measuring INT8 attention",
                                                   {},
                                                   kAttentionMayCostDb,
                                                   kAttentionEnoughDb});
  for (auto& [name, why] : blocks)
    why = judgement.samples == 0 ? judgement.reason
          : judgement.kept       ? cost_text(judgement)
                                 : "INT8 attention: " + judgement.reason;
  return judgement.kept ? AttentionTrial{.int8 = std::move(blocks), .kept_float = {}}
                        : AttentionTrial{.int8 = {}, .kept_float = std::move(blocks)};
}

}  // namespace detent
