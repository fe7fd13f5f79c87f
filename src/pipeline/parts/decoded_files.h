#pragma once

#include <filesystem>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/run.h"
#include "model/model.h"

namespace detent {

/// Decodes the data with a model of "decode" and writes FOLDER/texts.csv: a row for each sample, with its file and its
/// tokens, and before them its text where the rules name a vocabulary. It is a file for --transcripts.
/// rules    of the pipeline's file; CTC needs the vocabulary
/// data     with the steps and states of a kind that loops
/// Errors   those of decode_clips and decode_by_ctc; InvalidOption for CTC without a vocabulary; CannotWrite.
[[nodiscard]] RunReport run_decoder(const Model& model, const DecodeRules& rules, const SampleRequest& data,
                                    const RunOptions& options);

}  // namespace detent
