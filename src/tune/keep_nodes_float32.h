#pragma once

#include "detent/options/run_settings.h"
#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/model.h"
#include "tune/bound_judge.h"

namespace detent {

/// A float model, and what a 16-bit form of it is judged with. Looks at things that must outlive it.
struct HalfQuestion {
  const Model& model;  ///< in FP32, prepared
  const FloatFormat& format;
  const ValueReaches& reaches;  ///< of its values
  const Model& reference;       ///< what errors are measured against
  const BoundJudge& judge;
  const RunSettings& settings;
};

/// Nodes that compute in FP32 although the rules of half/float_rules.h would let them be half, because without any pair
/// the 16-bit form already costs too much: it may take half of what the bound allows and leaves the rest to INT8
/// (BoundJudge::leaves_room).
///
/// 1. Every half node is measured as the only one on 16 samples and ranked by the noise that it puts on the outputs.
/// 2. The shortest beginning of the ranking in FP32 that leaves room is found on all samples: 1, 2, 4 ... nodes, then
/// between the
///    last two. Assumes that more nodes in FP32 do no harm.
/// 3. Each of them, the quietest first, is half again where the others leave room without it.
///
/// Empty where the 16-bit form leaves room as it is. Same result for any number of threads.
/// Errors  those of measuring.
[[nodiscard]] ForcedFloat32 keep_nodes_float32(const HalfQuestion& question);

}  // namespace detent
