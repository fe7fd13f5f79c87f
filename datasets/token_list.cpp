#include "datasets/token_list.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/index.h"
#include "core/parse.h"
#include "datasets/base/csv.h"
#include "datasets/base/json_object.h"
#include "datasets/base/natural_order.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// A token and its class.
struct NumberedToken {
  std::string text;
  int64_t number;
};

std::vector<std::string> in_order(std::vector<NumberedToken> tokens, const std::string& file) {
  std::ranges::sort(tokens, {}, &NumberedToken::number);
  std::vector<std::string> texts;
  for (NumberedToken& token : tokens) {
    if (token.number != std::ssize(texts))
      throw Error(ErrorCode::InvalidData, file + ": the classes of the tokens are not 0 to " +
                                              std::to_string(tokens.size() - 1) + ", each once: token '" + token.text +
                                              "' has " + std::to_string(token.number));
    texts.push_back(std::move(token.text));
  }
  return texts;
}

/// Returns the token and the class of "TOKEN CLASS"; nullopt for other lines.
std::optional<NumberedToken> take_numbered(std::string_view line) {
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  const size_t blank = line.find_last_of(" \t");
  if (blank == std::string_view::npos || blank == 0) return std::nullopt;
  const auto number = parse_number<int64_t>(line.substr(blank + 1));
  return number ? std::optional(NumberedToken{std::string(line.substr(0, blank)), *number}) : std::nullopt;
}

std::vector<std::string> tokens_of_lines(const std::string& text, const std::string& file) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    at = end + 1;
  }
  std::vector<NumberedToken> numbered;
  for (const std::string& line : lines)
    if (auto token = take_numbered(line)) numbered.push_back(std::move(*token));
  return numbered.size() == lines.size() ? in_order(std::move(numbered), file) : lines;
}

std::vector<std::string> tokens_of_json(const std::filesystem::path& path) {
  const nlohmann::json document = read_json_object(path, "an object is expected: {\"a\": 0, \"b\": 1}");
  std::vector<NumberedToken> tokens;
  for (const auto& [text, number] : document.items()) {
    if (!number.is_number_integer())
      throw Error(ErrorCode::InvalidData, path.string() + ": the class of token '" + text + "' is no whole number");
    tokens.push_back({text, number.get<int64_t>()});
  }
  return in_order(std::move(tokens), path.string());
}

}  // namespace

std::vector<std::string> read_token_list(const std::filesystem::path& path) {
  std::vector<std::string> tokens =
      lower_extension(path) == ".json" ? tokens_of_json(path) : tokens_of_lines(read_text(path), path.string());
  if (tokens.empty()) throw Error(ErrorCode::InvalidData, path.string() + ": the vocabulary holds no token");
  return tokens;
}

std::vector<FileText> read_transcripts(const std::filesystem::path& path) {
  const CsvTable table = read_csv(path);
  const int file = table.column("file"), text = table.column("text");
  if (file < 0 || text < 0)
    throw Error(ErrorCode::InvalidData,
                path.string() + ": the header lacks a column '" + (file < 0 ? "file" : "text") + "'",
                "the first line must name the columns: file,text");
  if (table.rows.empty()) throw Error(ErrorCode::InvalidData, path.string() + ": there are no transcripts");
  std::vector<FileText> transcripts;
  for (const auto& row : table.rows) transcripts.push_back({row[as_index(file)], row[as_index(text)]});
  return transcripts;
}

std::string comparable_file(const std::string& name) {
  return std::filesystem::path(name).lexically_normal().generic_string();
}

std::map<std::string, std::string> read_transcript_map(const std::filesystem::path& path) {
  std::map<std::string, std::string> texts;
  for (const FileText& entry : read_transcripts(path)) {
    const auto [known, added] = texts.emplace(comparable_file(entry.file), entry.text);
    if (!added && known->second != entry.text)
      throw Error(ErrorCode::InvalidData, path.string() + ": " + entry.file + " has two transcripts, '" +
                                              known->second + "' and '" + entry.text + "'");
  }
  return texts;
}

}  // namespace detent
