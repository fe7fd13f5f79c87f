#pragma once

#include <functional>
#include <string_view>

#include "detent/options/run_settings.h"
#include "evaluate/judged_batches.h"
#include "evaluate/trial.h"
#include "model/model.h"

namespace detent {

/// evaluate_models() with `by_batch` where the float model has run: its outputs are those of `batches`, and nothing is
/// read again that they kept. Of samples that were joined there is an entry each, as if they had run one by one; a
/// batch that the model fixes has one. In the order of the source.
///
/// count, make  variants that hold the values of `batches`; they may be quantized. Each is made when its turn comes and
/// gone before
///              the next, but for as many as `weight_bytes` hold, in the order of their numbers.
/// Empty     `task`; `skipped` and `seconds` are 0: nothing is read, judged by labels or timed here.
/// Errors    those of `make`, of reading and of running, naming the first sample of a batch; Interrupted.
[[nodiscard]] Evaluation evaluate_on_batches(size_t count, const std::function<Model(size_t)>& make,
                                             const JudgedBatches& batches, const RunSettings& settings,
                                             std::string_view task, size_t weight_bytes = size_t{256} << 20);

}  // namespace detent
