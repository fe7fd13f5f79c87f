#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace detent {

/// Tokens and their ids. Text is taken apart from its beginning, each time by the longest token that fits: single
/// characters where the vocabulary holds no others. It is no tokenizer: one that splits and merges by rules of its own
/// gives other ids.
class Vocabulary {
 public:
  /// 256 tokens, one a byte.
  [[nodiscard]] static Vocabulary of_bytes();

  /// A file in one of two forms. One quoted line, "\n !a" (a token is a character) or b"\n !a" (a byte), with the
  /// escapes \n \r \t \\ \" \' \xHH: ids count its characters. Else one token a line, the first has id 0; a line end,
  /// return or tab as a token is written \n, \r, \t.
  /// Errors  InvalidData naming the file: unreadable or empty, a token
  /// named twice or of more than 256 bytes, an open quote, or
  ///         pieces of words (marked ## or by a sign for a blank), which need their own tokenizer.
  [[nodiscard]] static Vocabulary read(const std::filesystem::path& path);

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::optional<int32_t> id_of(const std::string& token) const;
  /// A character that no token begins with is <unk> or [UNK] where there is one.
  /// Errors  InvalidData naming `where` and the line of the character, where there is none.
  [[nodiscard]] std::vector<int32_t> encode(std::string_view text, const std::string& where) const;

 private:
  void add(std::string token, const std::string& file);
  [[nodiscard]] static Vocabulary of_characters(const std::string& quoted, const std::string& file);
  [[nodiscard]] static Vocabulary of_lines(const std::string& text, const std::string& file);

  std::unordered_map<std::string, int32_t> ids_;
  size_t size_ = 0, longest_ = 1;
};

}  // namespace detent
