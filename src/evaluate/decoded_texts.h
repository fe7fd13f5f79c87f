#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/sample_request.h"
#include "detent/base/data_source.h"
#include "detent/options/evaluation_options.h"
#include "detent/options/run_settings.h"
#include "evaluate/text_errors.h"
#include "evaluate/token_texts.h"
#include "evaluate/trial.h"
#include "model/model.h"
#include "run/held_outputs.h"

namespace detent {

/// Models that write texts, judged by transcripts: each decodes every clip with its own tokens and states. Clips count
/// in the order of their name hashes, so that the first n are a random part. Values in front of the steps that models
/// compute alike are computed once (HeldOutputs).
class DecodedTexts {
 public:
  /// request    of the clips, which decodes() (run/greedy_decoder.h)
  /// reference  the float model
  /// Errors     Usage without a vocabulary; InvalidData for a clip without a transcript, and where no transcript has a
  ///            word; those of reading the files and of open_whole_samples.
  DecodedTexts(const EvaluationOptions& options, const SampleRequest& request, const Model& reference,
               const RunSettings& settings);

  [[nodiscard]] size_t size() const { return clips_->size(); }
  /// Returns the errors of a model on the clips `from` to `until` - 1, by clip.
  /// Errors  those of GreedyDecoder; Interrupted.
  [[nodiscard]] std::vector<TextErrors> errors_of(const Model& model, std::string_view task, size_t from,
                                                  size_t until) const;
  /// The same on all clips.
  [[nodiscard]] std::vector<TextErrors> errors_of(const Model& model, std::string_view task) const {
    return errors_of(model, task, 0, size());
  }
  /// Returns those of the float model on the first clips, which it decodes once.
  [[nodiscard]] std::span<const TextErrors> float_errors(size_t clips) const;

 private:
  SampleRequest request_;
  const Model& reference_;
  RunSettings settings_;
  std::unique_ptr<DataSource> clips_;
  TokenTexts tokens_;
  std::vector<size_t> order_;        // of the clips
  std::vector<std::string> spoken_;  // by place in clips_
  mutable std::vector<TextErrors> float_errors_ = {};
  mutable HeldOutputs shared_;
};

/// Returns the judge of texts where the clips are decoded, and takes their transcripts out of the options, which judge
/// outputs then; else nullptr.
/// Errors  those of DecodedTexts.
[[nodiscard]] std::unique_ptr<const DecodedTexts> take_texts(EvaluationOptions& options, const SampleRequest& request,
                                                             const Model& reference, const RunSettings& settings);

/// Returns the word errors of models, by clip, as the scores of an evaluation's task; without errors of outputs.
[[nodiscard]] Evaluation evaluate_texts(const DecodedTexts& texts, std::span<const Model> models,
                                        std::string_view task);

/// Returns the sum over clips.
[[nodiscard]] TextErrors sum_of(std::span<const TextErrors> errors);

/// Returns the word error rates without each one of the clips, for a jackknife.
[[nodiscard]] std::vector<double> rates_without_one(std::span<const TextErrors> errors);

/// Returns the standard error that one word more or less makes: where no word differs here, one may in other clips.
[[nodiscard]] double error_of_one_word(const TextErrors& errors);

/// Returns the standard error of the rise of the word error rate from `before` to `after`, of the same clips, for other
/// clips of the same kind: that of a jackknife over clips, and that of one word.
[[nodiscard]] double error_of_rise(std::span<const TextErrors> before, std::span<const TextErrors> after);

}  // namespace detent
