#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "datasets/text/text_encoder.h"
#include "datasets/text/token_frame.h"

namespace detent {

class Tokenizer;

/// The parts of "text:FILE[,vocab=bytes|FILE][,length=N][,field=NAME[+NAME]]"; only these keys end the path, which may
/// hold commas.
struct TextSpec {
  std::filesystem::path file;
  std::string vocabulary;      ///< "bytes", a file, or empty: the file holds ids
  int64_t length = 0;          ///< tokens in a sample; 0: the model's number, or each record of a .jsonl
  std::string field = "text";  ///< of a .jsonl whose lines are objects; "A+B": two texts that are one sample
};

/// Parses a SRC.
/// Errors  Usage for a length that is not a number from 1 on, or without a file.
[[nodiscard]] TextSpec parse_text_spec(const std::string& src);

/// A record: its own ids, or those of its text without what the tokenizer puts around it.
struct TextRecord {
  std::vector<int32_t> ids;
  std::optional<std::vector<int32_t>> second = {};          ///< of the second text, where there is one
  bool is_text = false;                                     ///< the ids were made of text
  std::map<std::string, std::vector<int32_t>> fields = {};  ///< lists of ids under the names that were asked for
};

/// Reader of a text's records.
class TextRecords {
 public:
  /// names  of inputs whose lists of numbers a record may hold under these names; the first is that of the ids
  /// Errors  InvalidData naming the vocabulary.
  TextRecords(const TextSpec& spec, std::vector<std::string> names);

  /// A .jsonl has a record a line: a string, a list of ids, or an object with one of both in its field; any other file
  /// is one record of text.
  /// Errors  InvalidData naming file and line; Usage for text without a vocabulary.
  [[nodiscard]] std::vector<TextRecord> read() const;
  /// Returns the ids of all records one behind the other; with a line end between texts, if the vocabulary has one.
  [[nodiscard]] std::vector<int32_t> joined(const std::vector<TextRecord>& records) const;
  /// Returns the tokenizer.json; nullptr: the vocabulary is none.
  [[nodiscard]] const Tokenizer* tokenizer() const { return tokenizer_; }
  [[nodiscard]] bool is_json_lines() const;

 private:
  [[nodiscard]] std::vector<int32_t> encode(const std::string& text, const std::string& where) const;
  [[nodiscard]] TextRecord read_line(std::string_view line, const std::string& where) const;

  TextSpec spec_;
  std::vector<std::string> names_, fields_;  ///< fields_: of the record's one or two texts
  std::string file_;
  std::shared_ptr<const TextEncoder> encoder_;
  const Tokenizer* tokenizer_ = nullptr;
};

}  // namespace detent
