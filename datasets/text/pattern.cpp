#include "datasets/text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <nlohmann/json.hpp>

#include "detent/base/error.h"

namespace detent {

namespace {

// Steps of one search. Ordinary expressions take a few for each byte; some take 2^N.
constexpr uint32_t kMostSteps = 10'000'000;
constexpr uint32_t kMostKilobytes = 256'000;  // of one search in the interpreter, which takes up to 20 GB otherwise

/// Writes an expression of Oniguruma, the library of these files' writers, for PCRE2: \w has marks and connectors, too,
/// \h is a hexadecimal digit, and a class may hold classes.
/// Errors  InvalidData for classes that PCRE2 would read as others: [^...] in a class, and "&&".
std::string as_pcre(std::string_view expression) {
  constexpr std::string_view kWord = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9})", kHex = "0-9a-fA-F";
  const auto refuse = [&] {
    throw Error(ErrorCode::InvalidData,
                "the expression '" + std::string(expression) + "' has a class of a kind that is not read");
  };
  std::string written;
  size_t depth = 0;  // of classes
  const auto add_set = [&](std::string_view set) {
    written.append(depth > 0 ? "" : "[").append(set).append(depth > 0 ? "" : "]");
  };
  for (size_t at = 0; at < expression.size(); ++at) {
    const std::string_view rest = expression.substr(at);
    if (rest[0] == '\\' && rest.size() > 1) {
      ++at;
      if (rest[1] == 'w' || rest[1] == 'h')
        add_set(rest[1] == 'w' ? kWord : kHex);
      else if ((rest[1] == 'W' || rest[1] == 'H') && depth == 0)
        written.append("[^").append(rest[1] == 'W' ? kWord : kHex).append("]");
      else if (rest[1] == 'H')
        refuse();
      else
        written.append(rest.substr(0, 2));
    } else if (depth > 0 && rest.starts_with("[:") && rest.find(":]") != std::string_view::npos) {
      const size_t size = rest.find(":]") + 2;  // [:alpha:]
      written.append(rest.substr(0, size));
      at += size - 1;
    } else if (rest[0] == '[') {
      if (depth > 0 && rest.starts_with("[^")) refuse();
      if (depth++ > 0) continue;  // what it holds belongs to the outer class
      const size_t size = rest.starts_with("[^]") ? 3 : rest.starts_with("[^") || rest.starts_with("[]") ? 2 : 1;
      written.append(rest.substr(0, size));  // "]" in front is a character
      at += size - 1;
    } else if (depth > 0 && rest.starts_with("&&")) {
      refuse();
    } else {
      if (rest[0] == ']' && depth > 0 && --depth > 0) continue;
      written += rest[0];
    }
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
  const std::string written = as_pcre(expression);
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
  pcre2_set_heap_limit(made->limits.get(), kMostKilobytes);
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
  size_t end = std::string_view::npos;  // of the last place
  for (size_t at = 0; at <= text.size();) {
    int count = pcre2_match(expression_->code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK, match.get(),
                            expression_->limits.get());
    if (count == PCRE2_ERROR_JIT_STACKLIMIT)  // 32 KB; the interpreter takes memory up to the limit
      count = pcre2_match(expression_->code.get(), subject, text.size(), at, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT,
                          match.get(), expression_->limits.get());
    if (count == PCRE2_ERROR_NOMATCH) break;
    if (count < 0)
      throw Error(ErrorCode::InvalidData,
                  "the search for an expression of the tokenizer ended: " + pcre_message(count));
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(match.get());
    if (ends[0] < at || ends[1] < ends[0])
      throw Error(ErrorCode::InvalidData, "an expression of the tokenizer moves the begin of what it finds");
    // An empty place counts, but not the one at the end of the last place; the next one is behind a character.
    if (ends[1] > ends[0] || ends[0] != end) found.push_back({ends[0], ends[1]});
    at = end = ends[1];
    if (ends[0] == ends[1])
      for (++at; at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;) ++at;
  }
  return found;
}

}  // namespace detent
