#include "datasets/text/unicode.h"

#include <utf8proc.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "core/index.h"

namespace detent {

namespace {

const utf8proc_uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const utf8proc_uint8_t*>(text.data());
}

utf8proc_int32_t code_of(char32_t c) { return static_cast<utf8proc_int32_t>(c); }

utf8proc_category_t category_of(char32_t c) { return utf8proc_category(code_of(c)); }

/// Letters by their property Alphabetic that are neither letters nor marks by category: signs in circles and squares.
bool is_letter_in_a_frame(char32_t c) {
  return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) || (c >= 0x1F150 && c <= 0x1F169) ||
         (c >= 0x1F170 && c <= 0x1F189);
}

}  // namespace

size_t find_no_utf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    utf8proc_int32_t code = 0;
    const auto length = utf8proc_iterate(bytes_of(text) + at, std::ssize(text) - as_extent(at), &code);
    if (length < 1) return at;
    at += static_cast<size_t>(length);
  }
  return std::string_view::npos;
}

char32_t next_character(std::string_view text, size_t& at) {
  utf8proc_int32_t code = 0;
  const auto length = utf8proc_iterate(bytes_of(text) + at, std::ssize(text) - as_extent(at), &code);
  at += length < 1 ? 1 : static_cast<size_t>(length);
  return length < 1 ? 0xFFFD : static_cast<char32_t>(code);
}

std::string utf8_of(char32_t character) {
  utf8proc_uint8_t bytes[4];
  const auto length = utf8proc_encode_char(code_of(character), bytes);
  return {reinterpret_cast<const char*>(bytes), static_cast<size_t>(length)};
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return count;
}

std::string changed_characters(std::string_view text, const std::function<void(char32_t, std::string&)>& change) {
  std::string changed;
  changed.reserve(text.size());
  for (size_t at = 0; at < text.size();) change(next_character(text, at), changed);
  return changed;
}

bool is_blank(char32_t c) {
  return (c >= 9 && c <= 13) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_punctuation(char32_t c) {
  if (c < 0x80) return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) || (c >= 123 && c <= 126);
  const auto category = category_of(c);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool is_numeric(char32_t c) {
  const auto category = category_of(c);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool is_mark(char32_t c) {
  const auto category = category_of(c);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_nonspacing_mark(char32_t c) { return category_of(c) == UTF8PROC_CATEGORY_MN; }

bool is_other(char32_t c) { return category_of(c) >= UTF8PROC_CATEGORY_CC; }

bool is_of_word(char32_t c) {
  const auto category = category_of(c);
  return (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) || category == UTF8PROC_CATEGORY_PC ||
         c == 0x200C || c == 0x200D || is_letter_in_a_frame(c);
}

std::string in_form(std::string_view text, UnicodeForm form) {
  const bool composed = form == UnicodeForm::Nfc || form == UnicodeForm::Nfkc;
  const bool compatible = form == UnicodeForm::Nfkc || form == UnicodeForm::Nfkd;
  const int options =
      UTF8PROC_STABLE | (composed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) | (compatible ? UTF8PROC_COMPAT : 0);
  utf8proc_uint8_t* made = nullptr;
  const auto length = utf8proc_map(bytes_of(text), std::ssize(text), &made, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> held(made, &std::free);
  if (length < 0) throw std::bad_alloc();  // the text is UTF-8 and the options are right
  return {reinterpret_cast<const char*>(made), static_cast<size_t>(length)};
}

std::string lower_case(std::string_view text) {
  return changed_characters(text, [](char32_t c, std::string& changed) {
    if (c == 0x130)  // the only character whose lower case has two
      changed += "i\xCC\x87";
    else
      changed += c < 0x80 ? std::string(1, static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c))
                          : utf8_of(static_cast<char32_t>(utf8proc_tolower(code_of(c))));
  });
}

void for_graphemes(std::string_view text, const std::function<void(std::string_view)>& take) {
  size_t first = 0;
  utf8proc_int32_t state = 0, before = -1;
  for (size_t at = 0; at < text.size();) {
    const size_t here = at;
    const utf8proc_int32_t code = code_of(next_character(text, at));
    if (before >= 0 && utf8proc_grapheme_break_stateful(before, code, &state)) {
      take(text.substr(first, here - first));
      first = here;
    }
    before = code;
  }
  if (first < text.size()) take(text.substr(first));
}

}  // namespace detent
