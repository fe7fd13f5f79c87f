#include "evaluate/ctc_text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/float_type.h"
#include "core/index.h"
#include "detent/base/error.h"
#include "evaluate/class_output.h"

namespace detent {

namespace {

constexpr std::string_view kWordMark = "\xE2\x96\x81";  // of SentencePiece

std::string text_of_token(const std::string& token) {
  if (token == "|" || token == "<space>") return " ";
  if (token.starts_with(kWordMark)) return " " + token.substr(kWordMark.size());
  return token.size() > 2 && token.front() == '<' && token.back() == '>' ? std::string() : token;
}

/// The scores of one output: sample n, position t and class v lie at n * sample + t * position + v * token.
struct CtcScores {
  size_t output = 0;
  int64_t positions = 0, sample = 0, position = 0, token = 0;
};

std::optional<CtcScores> read_as_scores(const Tensor& output, int64_t samples, int64_t classes) {
  if (output.empty_handle() || output.is_sequence() || !is_floating_point(output.type())) return std::nullopt;
  const Shape& shape = output.shape();
  const size_t rank = shape.rank();
  if (rank != 3 && !(rank == 2 && samples == 1)) return std::nullopt;
  if (rank == 3 && shape[0] != samples) return std::nullopt;
  const int64_t first = shape[rank - 2], last = shape[rank - 1];
  if (last == classes) return CtcScores{0, first, first * last, last, 1};
  if (first == classes) return CtcScores{0, last, first * last, 1, last};
  return std::nullopt;
}

/// Returns how many positions of each sample count; nullopt where no output says it.
std::optional<std::vector<int64_t>> given_lengths(int64_t samples, std::span<const std::string> names,
                                                  std::span<const Tensor> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    if (output.empty_handle() || output.is_sequence() || names[i].find("len") == std::string::npos) continue;
    const bool integers = output.type() == DataType::Int64 || output.type() == DataType::Int32;
    if (!integers || output.shape().element_count() != samples) continue;
    const Tensor lengths = cast(output, DataType::Int64);
    const auto all = lengths.data<int64_t>();
    return std::vector<int64_t>(all.begin(), all.end());
  }
  return std::nullopt;
}

}  // namespace

CtcVocabulary::CtcVocabulary(std::vector<std::string> tokens, std::string file) : file_(std::move(file)) {
  constexpr std::array<std::string_view, 6> kBlanks = {"<blank>", "<blk>", "<ctc>", "<pad>", "[PAD]", "<eps>"};
  for (const std::string_view name : kBlanks) {
    const auto found = std::ranges::find(tokens, name);
    if (found == tokens.end()) continue;
    blank_ = found - tokens.begin();
    break;
  }
  for (const std::string& token : tokens) texts_.push_back(text_of_token(token));
}

std::vector<std::vector<int64_t>> CtcVocabulary::read_tokens(int64_t samples, std::span<const std::string> names,
                                                             std::span<const Tensor> outputs) const {
  const int64_t blank = blank_.value_or(std::ssize(texts_)), classes = std::ssize(texts_) + (blank_ ? 0 : 1);
  std::optional<CtcScores> found;
  std::string listed;
  for (size_t i = 0; i < outputs.size() && !found; ++i) {
    listed += (i ? ", '" : "'") + names[i] + "' (" + outputs[i].shape().to_string() + ")";
    found = read_as_scores(outputs[i], samples, classes);
    if (found) found->output = i;
  }
  if (!found)
    throw Error(ErrorCode::InvalidOption,
                "no output holds one score for each of the " + std::to_string(classes) + " classes of " + file_ +
                    (blank_ ? "" : " (with the blank, which it does not name, as the last one)") +
                    " at each position; the outputs are " + listed,
                "the vocabulary must be the model's; judge other outputs by --metric-command");
  const Tensor values = cast(outputs[found->output], DataType::Float32);
  const float* const all = values.data<float>().data();
  const auto lengths = given_lengths(samples, names, outputs);
  std::vector<std::vector<int64_t>> tokens;
  for (int64_t n = 0; n < samples; ++n) {
    std::vector<int64_t>& own = tokens.emplace_back();
    const int64_t end = lengths ? std::min(found->positions, (*lengths)[as_index(n)]) : found->positions;
    for (int64_t t = 0, previous = blank; t < end; ++t) {
      const int64_t token = argmax(all + n * found->sample + t * found->position, classes, found->token);
      if (token != previous && token != blank) own.push_back(token);
      previous = token;
    }
  }
  return tokens;
}

std::string CtcVocabulary::text_of(std::span<const int64_t> tokens) const {
  std::string text;
  for (const int64_t token : tokens) text += texts_[as_index(token)];
  return text;
}

std::vector<std::string> CtcVocabulary::read(int64_t samples, std::span<const std::string> names,
                                             std::span<const Tensor> outputs) const {
  std::vector<std::string> texts;
  for (const std::vector<int64_t>& tokens : read_tokens(samples, names, outputs)) texts.push_back(text_of(tokens));
  return texts;
}

}  // namespace detent
