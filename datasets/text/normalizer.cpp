#include "datasets/text/normalizer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "datasets/text/charsmap.h"
#include "datasets/text/pattern.h"
#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

/// A range of characters that are written without blanks between words, as BERT's tokenizer knows them.
struct CharacterRange {
  char32_t first, last;
};
constexpr CharacterRange kIdeographs[] = {{0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF},
                                          {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF},
                                          {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};

bool is_ideograph(char32_t c) {
  return std::ranges::any_of(kIdeographs,
                             [&](const CharacterRange& range) { return c >= range.first && c <= range.last; });
}

/// Leaves out the characters for which `drops` is true.
std::string without(const std::string& text, bool (*drops)(char32_t)) {
  return changed_characters(text, [drops](char32_t c, std::string& kept) {
    if (!drops(c)) kept += utf8_of(c);
  });
}

std::string cleaned(const std::string& text) {
  return changed_characters(text, [](char32_t c, std::string& kept) {
    const bool line = c == '\t' || c == '\n' || c == '\r';
    if (line || is_blank(c))
      kept += is_other(c) && !line ? "" : " ";
    else if (c != 0 && c != 0xFFFD && !is_other(c))
      kept += utf8_of(c);
  });
}

TextChange bert_change(const Json& json) {
  const bool lower = json.value("lowercase", true);
  const auto accents = json.find("strip_accents");
  const bool strip = accents == json.end() || accents->is_null() ? lower : accents->get<bool>();
  return [lower, strip, clean = json.value("clean_text", true),
          ideographs = json.value("handle_chinese_chars", true)](std::string text) {
    if (clean) text = cleaned(text);
    if (ideographs)
      text = changed_characters(text, [](char32_t c, std::string& spaced) {
        spaced += is_ideograph(c) ? " " + utf8_of(c) + " " : utf8_of(c);
      });
    if (strip) text = without(in_form(text, UnicodeForm::Nfd), is_nonspacing_mark);
    return lower ? lower_case(text) : text;
  };
}

/// Leaves out controls, or writes them as blanks, as SentencePiece does for translation.
std::string without_controls(const std::string& text) {
  constexpr auto kDropped = [](char32_t c) {
    return (c >= 1 && c <= 8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
  };
  constexpr auto kBlank = [](char32_t c) {
    return c == 9 || c == 10 || c == 12 || c == 13 || c == 0x1680 || (c >= 0x200B && c <= 0x200F) || c == 0x2028 ||
           c == 0x2029 || c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
  };
  return changed_characters(text, [&](char32_t c, std::string& kept) {
    if (!kDropped(c)) kept += kBlank(c) ? " " : utf8_of(c);
  });
}

std::string stripped(const std::string& text, bool left, bool right) {
  size_t first = std::string::npos, end = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    if (is_blank(next_character(text, at))) continue;
    first = std::min(first, here);
    end = at;
  }
  if (first == std::string::npos) return left || right ? "" : text;
  if (!left) first = 0;
  return text.substr(first, (right ? end : text.size()) - first);
}

/// Errors  InvalidData for a text that a file's expressions make so large that nothing is left for others.
void check_size(const std::string& text) {
  constexpr size_t kMostBytes = 1U << 28U;
  if (text.size() > kMostBytes)
    throw Error(ErrorCode::InvalidData, "the tokenizer's normalizer makes a text of more than 256 MB");
}

std::string replaced(const std::string& text, const TextPattern& pattern, const std::string& content) {
  std::string result;
  size_t at = 0;
  for (const TextRange& range : pattern.find_all(text)) {
    check_size(result);
    result.append(text, at, range.first - at).append(content);
    at = range.end;
  }
  return result.append(text, at);
}

TextChange form_change(UnicodeForm form) {
  return [form](const std::string& text) { return in_form(text, form); };
}

TextChange sequence_change(const Json& json) {
  std::vector<TextChange> changes;
  for (const Json& one : json.at("normalizers")) changes.push_back(read_normalizer(one));
  return [changes](std::string text) {
    for (const TextChange& change : changes) text = change(std::move(text));
    return text;
  };
}

/// A kind of normalizer.
struct NormalizerKind {
  const char* name;
  TextChange (*make)(const Json& json);
};

constexpr NormalizerKind kNormalizers[] = {
    {"BertNormalizer", bert_change},
    {"Sequence", sequence_change},
    {"NFC", [](const Json&) { return form_change(UnicodeForm::Nfc); }},
    {"NFD", [](const Json&) { return form_change(UnicodeForm::Nfd); }},
    {"NFKC", [](const Json&) { return form_change(UnicodeForm::Nfkc); }},
    {"NFKD", [](const Json&) { return form_change(UnicodeForm::Nfkd); }},
    {"Lowercase", [](const Json&) -> TextChange { return [](const std::string& text) { return lower_case(text); }; }},
    {"StripAccents",
     [](const Json&) -> TextChange { return [](const std::string& text) { return without(text, is_mark); }; }},
    {"Nmt", [](const Json&) -> TextChange { return without_controls; }},
    {"ByteLevel",
     [](const Json&) -> TextChange { return [](const std::string& text) { return bytes_as_characters(text); }; }},
    {"Strip",
     [](const Json& json) -> TextChange {
       return [left = json.value("strip_left", true), right = json.value("strip_right", true)](
                  const std::string& text) { return stripped(text, left, right); };
     }},
    {"Prepend",
     [](const Json& json) -> TextChange {
       return [front = json.at("prepend").get<std::string>()](const std::string& text) {
         return text.empty() ? text : front + text;
       };
     }},
    {"Replace",
     [](const Json& json) -> TextChange {
       return [pattern = TextPattern::of_json(json.at("pattern")), content = json.at("content").get<std::string>()](
                  const std::string& text) { return replaced(text, pattern, content); };
     }},
    {"Precompiled",
     [](const Json& json) -> TextChange {
       return charsmap_change(json.at("precompiled_charsmap").get<std::string>());
     }},
};

}  // namespace

TextChange read_normalizer(const nlohmann::json& json) {
  if (json.is_null()) return [](std::string text) { return text; };
  const std::string kind = json.at("type").get<std::string>();
  for (const NormalizerKind& known : kNormalizers)
    if (kind == known.name) return known.make(json);
  throw Error(ErrorCode::InvalidData, "the normalizer '" + kind + "' is not known");
}

}  // namespace detent
