#pragma once

#include <cstdint>
#include <string>

#include "datasets/sample_request.h"
#include "detent/options/run_settings.h"
#include "detent/reports/input_check.h"
#include "model/model.h"

namespace detent {

/// The work that a check of the input may cost.
enum class InputCheckEffort : uint8_t {
  Little,  ///< other preprocessings are tried where that costs at most 100 billion multiply-adds, or the model is
           ///< unsure
  Whole    ///< they are always tried
};

/// The command that is answered, for the one that quantizes with the cure.
struct InputCheckCommand {
  std::string model;  ///< its path
  const DataOptions& data;
  std::string others = {};  ///< options that stay, as they are typed, each behind a blank
};

/// Looks at the float model on at most 24 samples (12 for Little), evenly over the data: outputs that do not depend on
/// the sample, that are not finite, no detections; and, for pictures of three channels, whether the model is surer of
/// its answers (Certainty) with other colours, or pixels of another scale.
///
/// Networks with batch normalizations are first compared by these (norm_distances): another preprocessing whose numbers
/// are nearer to the training's by 8 % and 3 standard errors makes the given one wrong.
///
/// Wrong     an output is the same for all samples or not finite, or another preprocessing is surer by 5 % and 3
/// standard
///           errors of the paired difference.
/// Doubtful  surer by 5 % and 2.5 standard errors; a detector sees nothing in any picture; two classes at chance.
/// Up to 64 samples (24 for Little) decide where one is surer by 3 % and 1 standard error, and not by 3.
/// Source    of these limits: bench/input_check.py, 9 networks with 4 preprocessings each; 10 others judge them
///           (found 26 of 27 and 19 of 30, no false alarm on 19).
///
/// model    the float model, ready to run
/// asked    the command: the cure's keeps its options
/// macs     multiply-adds of a sample; 0: unknown
/// Errors   those of opening, reading and running.
[[nodiscard]] InputCheckReport check_inputs(const Model& model, const InputCheckCommand& asked,
                                            const SampleRequest& request, const RunSettings& run,
                                            InputCheckEffort effort, double macs = 0);

}  // namespace detent
