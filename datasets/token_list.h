#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace detent {

/// Reads the tokens of a recognizer, by the class that stands for each: a .json object of token: class, or a text with
/// a token a line, or "TOKEN CLASS" in every line. Blanks count, except behind a class; empty lines keep their class.
/// Errors  InvalidData naming the file: no tokens, classes that are not 0 to N - 1, each once; InvalidOption for a
/// .json that holds no object.
[[nodiscard]] std::vector<std::string> read_token_list(const std::filesystem::path& path);

/// The text that belongs to a file.
struct FileText {
  std::string file, text;
};

/// Reads the columns `file` and `text` of a .csv in the order of the file.
/// Errors  InvalidData naming the file: a column is missing, there are no rows.
[[nodiscard]] std::vector<FileText> read_transcripts(const std::filesystem::path& path);

/// Returns the texts of read_transcripts() by file, as comparable_file() writes it.
/// Errors  those of read_transcripts; InvalidData for a file with two texts that differ.
[[nodiscard]] std::map<std::string, std::string> read_transcript_map(const std::filesystem::path& path);

/// Returns the name of a file, or of a sample, without "." and "..".
[[nodiscard]] std::string comparable_file(const std::string& name);

}  // namespace detent
