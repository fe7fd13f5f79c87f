#include "evaluate/decoded_texts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/index.h"
#include "core/mean.h"
#include "core/text.h"
#include "datasets/token_list.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "evaluate/decoded_clips.h"
#include "run/greedy_decoder.h"
#include "run/open_samples.h"
#include "run/sample_subset.h"

namespace detent {

namespace {

constexpr size_t kNamedClips = 5;                 // files in a message
constexpr size_t kSharedBytes = size_t{1} << 30;  // of what models compute alike

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
      tokens_(tokens_of(options)), order_(samples_by_hash(*clips_, clips_->size())), shared_(kSharedBytes) {
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

std::vector<TextErrors> DecodedTexts::errors_of(const Model& model, std::string_view task, size_t from,
                                                size_t until) const {
  const auto begin = order_.begin() + as_extent(from), end = order_.begin() + as_extent(until);
  const SampleSubset clips(*clips_, std::vector<size_t>(begin, end));
  std::vector<TextErrors> errors(until - from);
  if (from == until) return errors;
  for (const DecodedClip& clip : decode_clips(model, request_, clips, settings_, task, &shared_)) {
    const std::string text = tokens_.text_of(clip.tokens);
    errors[as_index(std::find(begin, end, clip.index) - begin)] =
        text_errors(spoken_[clip.index], request_.state->decode->plain_words ? plain_words(text) : text);
  }
  return errors;
}

std::span<const TextErrors> DecodedTexts::float_errors(size_t clips) const {
  if (float_errors_.size() < clips)
    std::ranges::copy(errors_of(reference_, "decoding with the float model", float_errors_.size(), clips),
                      std::back_inserter(float_errors_));
  return std::span(float_errors_).first(clips);
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
  const auto add = [&](std::span<const TextErrors> errors) {
    TaskSums& sum = found.task.emplace_back();
    std::vector<TaskSums>& clips = found.task_by_batch.emplace_back();
    for (const TextErrors& one : errors) {
      clips.emplace_back().texts = one;
      sum.texts += one;
    }
  };
  add(texts.float_errors(texts.size()));
  for (const Model& model : models) add(texts.errors_of(model, task));
  found.by_batch.assign(models.size(), std::vector<std::vector<ErrorSums>>(texts.size()));
  return found;
}

TextErrors sum_of(std::span<const TextErrors> errors) {
  TextErrors sum;
  for (const TextErrors& one : errors) sum += one;
  return sum;
}

std::vector<double> rates_without_one(std::span<const TextErrors> errors) {
  const TextErrors all = sum_of(errors);
  std::vector<double> rates;
  for (const TextErrors& one : errors) rates.push_back(rate_of(TextErrors(all) -= one));
  return rates;
}

double error_of_one_word(const TextErrors& errors) {
  return std::sqrt(2.0) / static_cast<double>(std::max<uint64_t>(1, errors.words));
}

double error_of_rise(std::span<const TextErrors> before, std::span<const TextErrors> after) {
  return std::hypot(jackknife_error(rates_without_one(after), rates_without_one(before)),
                    error_of_one_word(sum_of(after)));
}

}  // namespace detent
