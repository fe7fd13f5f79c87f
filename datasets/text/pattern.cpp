#include "datasets/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <nlohmann/json.hpp>

#include "detent/base/error.h"

namespace detent {

namespace {

// Steps of one search. Ordinary expressions take a few for each byte; some take 2^N.
constexpr uint32_t kMostSteps = 10'000'000;

/// Writes \w as what Oniguruma, the library of these files' writers, takes for it: marks and connectors, too.
std::string with_words(std::string_view expression) {
  constexpr std::string_view kWord = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9})";
  std::string written;
  bool in_class = false;
  for (size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c != '\\' || at + 1 == expression.size()) {
      in_class = c == '[' || (in_class && c != ']');
      written += c;
      continue;
    }
    const char escaped = expression[++at];
    if (escaped == 'w')
      written.append(in_class ? "" : "[").append(kWord).append(in_class ? "" : "]");
    else if (escaped == 'W' && !in_class)
      written.append("[^").append(kWord).append("]");
    else
      (written += c) += escaped;
  }
  return written;
}

std::string pcre_message(int code) {
  PCRE2_UCHAR text[200] = {};
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

}  // namespace

struct TextPattern::Expression {
  std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code{nullptr, &pcre2_code_free};
  std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits{nullptr, &pcre2_match_context_free};
};

TextPattern::TextPattern(std::string word) : word_(std::move(word)) {}

TextPattern TextPattern::of_expression(const std::string& expression) {
  auto made = std::make_shared<Expression>();
  const std::string written = with_words(expression);
  int error = 0;
  PCRE2_SIZE place = 0;
  made->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(written.data()), written.size(),
                                 PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &place,
                                 nullptr));
  if (!made->code)
    throw Error(ErrorCode::InvalidData, "the expression '" + expression + "' cannot be read at " +
                                            std::to_string(place) + ": " + pcre_message(error));
  pcre2_jit_compile(made->code.get(), PCRE2_JIT_COMPLETE);  // without it the search is slower
  made->limits.reset(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(made->limits.get(), kMostSteps);
  TextPattern pattern;
  pattern.expression_ = std::move(made);
  return pattern;
}

TextPattern TextPattern::of_json(const nlohmann::json& json) {
  if (json.is_string()) return TextPattern(json.get<std::string>());
  if (json.contains("String")) return TextPattern(json.at("String").get<std::string>());
  if (json.contains("Regex")) return of_expression(json.at("Regex").get<std::string>());
  throw Error(ErrorCode::InvalidData, "a pattern is neither a \"String\" nor a \"Regex\"");
}

std::vector<TextRange> TextPattern::find_all(std::string_view text) const {
  std::vector<TextRange> found;
  if (!expression_) {
    if (word_.empty()) return found;
    for (size_t at = text.find(word_); at != std::string_view::npos; at = text.find(word_, at + word_.size()))
      found.push_back({at, at + word_.size()});
    return found;
  }
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> match(
      pcre2_match_data_create_from_pattern(expression_->code.get(), nullptr), &pcre2_match_data_free);
  const auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  for (size_t at = 0; at < text.size();) {
    const int count = pcre2_match(expression_->code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK, match.get(),
                                  expression_->limits.get());
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0)
      throw Error(ErrorCode::InvalidData,
                  "the search for an expression of the tokenizer ended: " + pcre_message(count));
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    if (ends[1] > ends[0]) {
      found.push_back({ends[0], ends[1]});
      at = ends[1];
    } else {  // an empty place: the next one begins behind the next character
      for (at = ends[0] + 1; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;) ++at;
    }
  }
  return found;
}

}  // namespace detent
