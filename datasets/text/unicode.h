#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace detent {

/// Returns the place of the first byte that is not UTF-8; npos: there is none.
[[nodiscard]] size_t find_no_utf8(std::string_view text);
/// Returns the character at `at`, which moves behind it. `text` is UTF-8.
[[nodiscard]] char32_t next_character(std::string_view text, size_t& at);
[[nodiscard]] std::string utf8_of(char32_t character);
[[nodiscard]] size_t count_characters(std::string_view text);
/// Hands each character to `change`, which appends what stands for it.
[[nodiscard]] std::string changed_characters(std::string_view text,
                                             const std::function<void(char32_t, std::string&)>& change);

// Kinds of characters by the categories and properties of Unicode.
[[nodiscard]] bool is_blank(char32_t c);            ///< property White_Space
[[nodiscard]] bool is_punctuation(char32_t c);      ///< categories P, and what ASCII calls so
[[nodiscard]] bool is_numeric(char32_t c);          ///< categories N
[[nodiscard]] bool is_mark(char32_t c);             ///< categories M
[[nodiscard]] bool is_nonspacing_mark(char32_t c);  ///< category Mn
[[nodiscard]] bool is_other(char32_t c);            ///< categories C, but what is not assigned
[[nodiscard]] bool is_of_word(char32_t c);          ///< letters, marks, decimal digits, connectors

enum class UnicodeForm : uint8_t { Nfc, Nfd, Nfkc, Nfkd };
[[nodiscard]] std::string in_form(std::string_view text, UnicodeForm form);
/// Lower case, one character after the other: no rule looks at neighbours.
[[nodiscard]] std::string lower_case(std::string_view text);
/// Hands each cluster of characters that is read as one to `take`.
void for_graphemes(std::string_view text, const std::function<void(std::string_view)>& take);

}  // namespace detent
