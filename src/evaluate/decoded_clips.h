#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/base/data_source.h"
#include "detent/options/run_settings.h"
#include "evaluate/ctc_text.h"
#include "model/model.h"
#include "run/held_outputs.h"

namespace detent {

/// The tokens that a model writes for a clip.
struct DecodedClip {
  size_t index = 0;  ///< of the clip among the samples
  std::vector<int64_t> tokens = {};
};

/// Decodes clips in a loop of steps, with the model's own tokens and states; in the order of the clips, without those
/// that cannot be read.
/// request  that decodes() (run/greedy_decoder.h)
/// clips    of open_whole_samples()
/// task     the text of the progress line
/// shared   with other models for the same clips (GreedyDecoder); nullptr: none
/// Errors   those of GreedyDecoder; Interrupted.
[[nodiscard]] std::vector<DecodedClip> decode_clips(const Model& model, const SampleRequest& request,
                                                    const DataSource& clips, const RunSettings& settings,
                                                    std::string_view task, HeldOutputs* shared = nullptr);

/// Reads the tokens of clips from the model's outputs.
/// Errors  those of running the model and of CtcVocabulary::read_tokens; Interrupted.
[[nodiscard]] std::vector<DecodedClip> decode_by_ctc(const Model& model, const CtcVocabulary& vocabulary,
                                                     const DataSource& clips, const RunSettings& settings,
                                                     std::string_view task);

}  // namespace detent
