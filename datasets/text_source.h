#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "datasets/source_request.h"

namespace detent {

/// The parts of "text:FILE[,vocab=bytes|FILE][,length=N][,field=NAME]"; only these keys end the path, which may hold
/// commas.
struct TextSpec {
  std::filesystem::path file;
  std::string vocabulary;      ///< "bytes", a file, or empty: the file holds ids
  int64_t length = 0;          ///< tokens in a sample; 0: the model's number, or each record of a .jsonl
  std::string field = "text";  ///< of a .jsonl whose lines are objects
};

/// Parses a SRC.
/// Errors  Usage for a length that is not a number from 1 on, or without a file.
[[nodiscard]] TextSpec parse_text_spec(const std::string& src);

/// Returns the token ids of each record: a .jsonl has one a line, a string, a list of ids, or an object with one of
/// both in its field; any other file is one record of text.
/// Errors  InvalidData naming file and line; Usage for text without a vocabulary.
[[nodiscard]] std::vector<std::vector<int32_t>> read_records(const TextSpec& spec);

/// Token ids of a text for one input, integers [batch, S] or [S]. Samples have the model's length, or length=N when it
/// is open: windows of all records joined (with a line end between texts); the rest at the end is dropped. Without a
/// length each record is a sample.
/// Errors  those of read_records; InvalidOption for another input, a length that is not the model's, or a plain text
/// without one; InvalidData for less than one window.
[[nodiscard]] bool is_text(const std::string& src);
/// Returns the text and its vocabulary.
[[nodiscard]] std::vector<std::filesystem::path> files_of_text(const std::string& src);
[[nodiscard]] std::unique_ptr<DataSource> open_text(const SourceRequest& request);

}  // namespace detent
