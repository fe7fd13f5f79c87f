#pragma once

#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "tune/float_variants.h"

namespace detent {

/// The fall of score_db() that INT8 attention may cause. It saves 5 to 13 % of the time of a network.
inline constexpr double kAttentionMayCostDb = 1;
/// The SQNR of the outputs that is enough with INT8 attention, however much they have without: float networks in 16
/// bits and good INT8 ones rank classes alike there.
inline constexpr double kAttentionEnoughDb = 30;

/// Blocks of attention by the name of their first product, each with what was measured.
struct AttentionTrial {
  KeptFloat int8, kept_float;
};

/// Measures the blocks of the plan that may be INT8 (AttentionDecision::may_be_int8), all together: the model with them
/// in INT8 against that with none, on 16 samples, by accept_change() with these two. They are all in one list.
/// Cost    one pass over the data for the operands of the blocks, and 16 runs of both models.
/// No such block, or data of which no output can be compared -> none in INT8.
/// Errors  those of measuring, rewriting and running; Interrupted.
[[nodiscard]] AttentionTrial find_int8_attention(PairVariants& variants, const DataSource& source,
                                                 const RunSettings& settings);

}  // namespace detent
