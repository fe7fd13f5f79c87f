#include "evaluate/decoded_texts.h"

#include <utility>

#include "core/text.h"
#include "datasets/token_list.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/decoded_clips.h"
#include "run/greedy_decoder.h"
#include "run/open_samples.h"

namespace detent {

namespace {

constexpr size_t kNamedClips = 5;  // files in a message

double rate_of(const TextErrors& errors) {
  return errors.words > 0 ? static_cast<double>(errors.wrong_words) / static_cast<double>(errors.words) : 0;
}

std::vector<std::string> tokens_of(const EvaluationOptions& options) {
  if (options.vocabulary.empty())
    throw Error(ErrorCode::Usage, "--transcripts and --vocab need each other",
                "--vocab FILE, or \"vocab\" of \"decode\", names the text of each token");
  return read_token_list(options.vocabulary);
}

}  // namespace

DecodedTexts::DecodedTexts(const EvaluationOptions& options, const SampleRequest& request, const Model& reference,
                           const RunSettings& settings)
    : request_(request), reference_(reference), settings_(settings), clips_(open_whole_samples(request, reference)),
      tokens_(tokens_of(options)) {
  const auto texts = read_transcript_map(options.transcripts);
  const std::string file = options.transcripts.string();
  std::vector<std::string> missing;
  uint64_t words = 0;
  for (size_t i = 0; i < clips_->size(); ++i) {
    const auto found = texts.find(comparable_file(clips_->sample_name(i)));
    if (found == texts.end()) {
      missing.push_back(clips_->sample_name(i));
      continue;
    }
    spoken_.push_back(request_.state->decode->plain_words ? plain_words(found->second) : found->second);
    words += text_errors(spoken_.back(), {}).words;
  }
  if (!missing.empty())
    throw Error(ErrorCode::InvalidData,
                std::to_string(missing.size()) + " of " + std::to_string(clips_->size()) +
                    " clips have no transcript in " + file + ": " + listed(missing, kNamedClips),
                "files in it are relative to " + request.option);
  if (words == 0)
    throw Error(ErrorCode::InvalidData, file + ": nothing to score, there is no word in the transcripts of the clips",
                "column 'text' holds what is said in the file");
}

std::vector<TextErrors> DecodedTexts::errors_of(const Model& model, std::string_view task) const {
  std::vector<TextErrors> errors(clips_->size());
  for (const DecodedClip& clip : decode_clips(model, request_, *clips_, settings_, task)) {
    const std::string text = tokens_.text_of(clip.tokens);
    errors[clip.index] =
        text_errors(spoken_[clip.index], request_.state->decode->plain_words ? plain_words(text) : text);
  }
  return errors;
}

const std::vector<TextErrors>& DecodedTexts::float_errors() const {
  if (float_errors_.empty()) float_errors_ = errors_of(reference_, "decoding with the float model");
  return float_errors_;
}

std::unique_ptr<const DecodedTexts> take_texts(EvaluationOptions& options, const SampleRequest& request,
                                               const Model& reference, const RunSettings& settings) {
  if (!gives(options, MetricSource::Transcripts) || !decodes(request)) return nullptr;
  auto texts = std::make_unique<const DecodedTexts>(options, request, reference, settings);
  options.transcripts.clear(), options.vocabulary.clear();
  return texts;
}

Evaluation evaluate_texts(const DecodedTexts& texts, std::span<const Model> models, std::string_view task) {
  Evaluation found;
  found.samples = texts.size();
  const auto add = [&](const std::vector<TextErrors>& errors) {
    TaskSums& sum = found.task.emplace_back();
    std::vector<TaskSums>& clips = found.task_by_batch.emplace_back();
    for (const TextErrors& one : errors) {
      clips.emplace_back().texts = one;
      sum.texts += one;
    }
  };
  add(texts.float_errors());
  for (const Model& model : models) add(texts.errors_of(model, task));
  found.by_batch.assign(models.size(), std::vector<std::vector<ErrorSums>>(texts.size()));
  return found;
}

TextErrors sum_of(const std::vector<TextErrors>& errors) {
  TextErrors sum;
  for (const TextErrors& one : errors) sum += one;
  return sum;
}

std::vector<double> rates_without_one(const std::vector<TextErrors>& errors) {
  const TextErrors all = sum_of(errors);
  std::vector<double> rates;
  for (const TextErrors& one : errors) rates.push_back(rate_of(TextErrors(all) -= one));
  return rates;
}

}  // namespace detent
