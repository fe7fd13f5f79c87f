#pragma once

#include "detent/options/run_settings.h"
#include "half/float_plan.h"
#include "half/value_reach.h"
#include "model/model.h"
#include "tune/bound_judge.h"

namespace detent {

/// A float model, and how its 16-bit form is judged. Its members must outlive it.
struct HalfQuestion {
  const Model& model;  ///< in FP32, prepared; errors are measured against it
  const FloatFormat& format;
  const ValueReaches& reaches;  ///< of its values
  const BoundJudge& judge;
  const RunSettings& settings;
};

/// Chooses nodes that compute in FP32 although the rules of half/float_rules.h allow 16 bits. The 16-bit form without
/// pairs may take half of the bound and leaves the rest to INT8 (BoundJudge::leaves_room).
///
/// 1. Measures every half node alone on 16 samples and ranks them by the noise at the outputs.
/// 2. Finds the shortest prefix of the ranking in FP32 that leaves room, on all samples: 1, 2, 4 ... nodes, then
///    between the last two. Assumes that more nodes in FP32 do no harm.
/// 3. Makes each node half again, the quietest first, where the others leave room without it.
///
/// Returns nothing where the 16-bit form leaves room as it is. The result does not depend on the number of threads.
/// Errors  those of measuring.
[[nodiscard]] ForcedFloat32 keep_nodes_float32(const HalfQuestion& question);

}  // namespace detent
