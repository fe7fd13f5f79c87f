#include "datasets/text/vocabulary.h"

#include <algorithm>
#include <array>

#include "core/index.h"
#include "datasets/base/csv.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr size_t kLongestToken = 256;  // bytes; the search for the longest token takes as many steps a character

[[noreturn]] void refuse_vocabulary(const std::string& file, const std::string& what, std::string hint = {}) {
  throw Error(ErrorCode::InvalidData, file + ": " + what, std::move(hint));
}

/// Returns the bytes of the UTF-8 character that begins `text`; 1 for an invalid byte.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < length; ++i)
    if (i >= text.size() || (static_cast<unsigned char>(text[i]) & 0xC0) != 0x80) return 1;
  return length;
}

/// True for a piece of a word: "##ing" of WordPiece, or a word after the blank's sign of byte pair encodings or
/// SentencePiece.
bool is_piece(std::string_view token) {
  constexpr std::array<std::string_view, 3> kMarks = {"##", "\xC4\xA0", "\xE2\x96\x81"};
  return std::ranges::any_of(
      kMarks, [&](std::string_view mark) { return token.starts_with(mark) && token.size() > mark.size(); });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Returns the character of the escape at `at`, which moves behind it.
char unescaped(std::string_view text, size_t& at, const std::string& file) {
  const char c = at < text.size() ? text[at++] : '\0';
  switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case '\\':
    case '"':
    case '\'': return c;
    case 'x':
      if (at + 1 < text.size() && hex_digit(text[at]) >= 0 && hex_digit(text[at + 1]) >= 0) {
        const int value = 16 * hex_digit(text[at]) + hex_digit(text[at + 1]);
        at += 2;
        return static_cast<char>(value);
      }
      break;
    default: break;
  }
  refuse_vocabulary(file, "the vocabulary holds an escape that is none of \\n \\r \\t \\\\ \\\" \\' \\xHH");
}

bool is_quoted(std::string_view line) {
  if (line.starts_with('b')) line.remove_prefix(1);
  return line.size() >= 2 && (line.front() == '"' || line.front() == '\'') && line.back() == line.front();
}

}  // namespace

void Vocabulary::add(std::string token, const std::string& file) {
  if (token.size() > kLongestToken)
    refuse_vocabulary(file, "token " + std::to_string(size_) + " has " + std::to_string(token.size()) +
                                " bytes; a vocabulary has one token a line");
  if (is_piece(token))
    refuse_vocabulary(
        file,
        "token " + std::to_string(size_) + " '" + token + "' is a piece of a word, which needs the model's tokenizer",
        "vocab=tokenizer.json reads that tokenizer's file; or give its ids as .npy, .npz or a .jsonl of numbers");
  longest_ = std::max(longest_, token.size());
  const auto id = static_cast<int32_t>(size_++);
  if (token.empty()) return;  // an empty line keeps its id
  const auto [known, added] = ids_.emplace(std::move(token), id);
  if (!added)
    refuse_vocabulary(file, "tokens " + std::to_string(known->second) + " and " + std::to_string(id) + " are the same");
}

Vocabulary Vocabulary::of_bytes() {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) vocabulary.add(std::string(1, static_cast<char>(byte)), "bytes");
  return vocabulary;
}

Vocabulary Vocabulary::of_characters(const std::string& quoted, const std::string& file) {
  const bool bytes = quoted.front() == 'b';
  const std::string_view text = std::string_view(quoted).substr(bytes ? 2 : 1, quoted.size() - (bytes ? 3 : 2));
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at++];
    plain += c == '\\' ? unescaped(text, at, file) : c;
  }
  Vocabulary vocabulary;
  for (std::string_view rest = plain; !rest.empty();) {
    const size_t length = bytes ? 1 : character_length(rest);
    vocabulary.add(std::string(rest.substr(0, length)), file);
    rest.remove_prefix(length);
  }
  return vocabulary;
}

Vocabulary Vocabulary::of_lines(const std::string& text, const std::string& file) {
  Vocabulary vocabulary;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.pop_back();
    if (line == "\\n") line = "\n";
    if (line == "\\r") line = "\r";
    if (line == "\\t") line = "\t";
    vocabulary.add(std::move(line), file);
    at = end + 1;
  }
  return vocabulary;
}

Vocabulary Vocabulary::read(const std::filesystem::path& path) {
  const std::string file = path.string(), text = read_text(path);
  std::string first = text.substr(0, text.find('\n'));
  if (first.ends_with('\r')) first.pop_back();
  const bool one_line = text.find_first_not_of("\r\n", first.size()) == std::string::npos;
  Vocabulary vocabulary = one_line && is_quoted(first) ? of_characters(first, file) : of_lines(text, file);
  if (vocabulary.ids_.empty()) refuse_vocabulary(file, "the vocabulary holds no token");
  return vocabulary;
}

std::optional<int32_t> Vocabulary::id_of(const std::string& token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<int32_t> Vocabulary::encode(std::string_view text, const std::string& where) const {
  const int32_t unknown = id_of("<unk>").value_or(id_of("[UNK]").value_or(-1));
  std::vector<int32_t> ids;
  size_t line = 1;
  for (std::string_view rest = text; !rest.empty();) {
    size_t length = std::min(longest_, rest.size());
    auto found = ids_.end();
    for (; length > 0; --length)
      if (found = ids_.find(std::string(rest.substr(0, length))); found != ids_.end()) break;
    if (found == ids_.end()) {
      length = character_length(rest);
      if (unknown < 0)
        refuse_vocabulary(where,
                          "line " + std::to_string(line) + ": no token of the vocabulary begins '" +
                              std::string(rest.substr(0, length)) + "'",
                          "the vocabulary must be the model's; a token <unk> replaces unknown characters");
    }
    ids.push_back(found == ids_.end() ? unknown : found->second);
    line += as_index(std::ranges::count(rest.substr(0, length), '\n'));
    rest.remove_prefix(length);
  }
  return ids;
}

}  // namespace detent
