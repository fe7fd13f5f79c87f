#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "datasets/text/text_encoder.h"

namespace detent {

/// Tokens and their ids. Text is split from its beginning, each time at the longest token that fits: characters when
/// the vocabulary has only those. It is not a tokenizer: one that splits and merges by other rules gives other ids.
class Vocabulary final : public TextEncoder {
 public:
  /// Makes 256 tokens, one a byte.
  [[nodiscard]] static Vocabulary of_bytes();

  /// Reads a file in one of two forms. One quoted line, "\n !a" (a token is a character) or b"\n !a" (a byte), with the
  /// escapes \n \r \t \\ \" \' \xHH: ids count its characters. Else one token a line, the first has id 0; a line end,
  /// return or tab as a token is written \n, \r, \t.
  /// Errors  InvalidData naming the file: unreadable or empty, a token named twice or of more than 256 bytes, an open
  /// quote, or pieces of words (marked ## or by a sign for a blank), which need the model's tokenizer.
  [[nodiscard]] static Vocabulary read(const std::filesystem::path& path);

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] std::optional<int32_t> id_of(const std::string& token) const;
  /// Encodes text; a character that begins no token becomes <unk> or [UNK].
  /// Errors  InvalidData naming `where` and the line of the character when there is no such token.
  [[nodiscard]] std::vector<int32_t> encode(std::string_view text, const std::string& where) const override;
  [[nodiscard]] std::optional<int32_t> line_end() const override { return id_of("\n"); }

 private:
  void add(std::string token, const std::string& file);
  [[nodiscard]] static Vocabulary of_characters(const std::string& quoted, const std::string& file);
  [[nodiscard]] static Vocabulary of_lines(const std::string& text, const std::string& file);

  std::unordered_map<std::string, int32_t> ids_;
  size_t size_ = 0, longest_ = 1;
};

}  // namespace detent
