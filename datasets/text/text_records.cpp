#include "datasets/text/text_records.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/json/parse_json.h"
#include "core/parse.h"
#include "datasets/base/csv.h"
#include "datasets/base/natural_order.h"
#include "datasets/text/tokenizer.h"
#include "datasets/text/vocabulary.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kTextPrefix = "text:";
constexpr const char* kTextForm = "the form is text:FILE,vocab=bytes|FILE[,length=N][,field=NAME]";

/// Returns the ids of one list.
/// Errors  InvalidData, without file and line.
std::vector<int32_t> ids_of(const Json& list) {
  std::vector<int32_t> ids;
  for (const Json& item : list) {
    if (!item.is_number_integer() || item < 0 || item > std::numeric_limits<int32_t>::max())
      throw Error(ErrorCode::InvalidData, "a list of token ids may hold only whole numbers from 0 on");
    ids.push_back(item.get<int32_t>());
  }
  return ids;
}

/// Returns the fields of "A" or "A+B".
std::vector<std::string> fields_of(const std::string& field) {
  const size_t plus = field.find('+');
  if (plus == std::string::npos) return {field};
  return {field.substr(0, plus), field.substr(plus + 1)};
}

}  // namespace

TextSpec parse_text_spec(const std::string& src) {
  TextSpec spec;
  std::string rest = src.substr(std::min(kTextPrefix.size(), src.size()));
  const auto taken = [&](std::string_view key) -> std::optional<std::string> {
    const size_t comma = rest.rfind(',');
    if (comma == std::string::npos || !std::string_view(rest).substr(comma + 1).starts_with(key)) return std::nullopt;
    std::string value = rest.substr(comma + 1 + key.size());
    rest.resize(comma);
    return value;
  };
  for (bool more = true; more;) {
    more = false;
    if (auto value = taken("vocab=")) spec.vocabulary = std::move(*value), more = true;
    if (auto value = taken("field=")) spec.field = std::move(*value), more = true;
    if (const auto value = taken("length=")) {
      spec.length = parse_number<decltype(spec.length)>(*value).value_or(0);
      if (spec.length < 1)
        throw Error(ErrorCode::Usage, src + ": length=" + *value + " is not a whole number from 1 on", kTextForm);
      more = true;
    }
  }
  if (rest.empty()) throw Error(ErrorCode::Usage, src + ": no file is named", kTextForm);
  spec.file = rest;
  return spec;
}

TextRecords::TextRecords(const TextSpec& spec, std::vector<std::string> names)
    : spec_(spec), names_(std::move(names)), fields_(fields_of(spec.field)), file_(spec.file.string()) {
  if (spec.vocabulary.empty()) return;
  if (spec.vocabulary != "bytes" && Tokenizer::is_one(spec.vocabulary)) {
    const auto tokenizer = std::make_shared<const Tokenizer>(Tokenizer::read(spec.vocabulary));
    tokenizer_ = tokenizer.get();
    encoder_ = tokenizer;
  } else {
    encoder_ = std::make_shared<const Vocabulary>(spec.vocabulary == "bytes" ? Vocabulary::of_bytes()
                                                                             : Vocabulary::read(spec.vocabulary));
  }
}

bool TextRecords::is_json_lines() const { return lower_extension(spec_.file) == ".jsonl"; }

std::vector<TextRecord> TextRecords::read() const {
  const std::string text = read_text(spec_.file);
  std::vector<TextRecord> records;
  if (!is_json_lines()) {
    records.push_back({.ids = encode(text, file_), .is_text = true});
    return records;
  }
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    ++number;
    at = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    records.push_back(read_line(line, file_ + ": line " + std::to_string(number)));
  }
  return records;
}

std::vector<int32_t> TextRecords::joined(const std::vector<TextRecord>& records) const {
  const int32_t line_end = encoder_ ? encoder_->line_end().value_or(-1) : -1;
  std::vector<int32_t> stream;
  for (const TextRecord& record : records) {
    if (!stream.empty() && line_end >= 0) stream.push_back(line_end);
    stream.insert(stream.end(), record.ids.begin(), record.ids.end());
  }
  return stream;
}

std::vector<int32_t> TextRecords::encode(const std::string& text, const std::string& where) const {
  if (!encoder_) throw Error(ErrorCode::Usage, file_ + ": text needs a vocabulary", kTextForm);
  return encoder_->encode(text, where);
}

TextRecord TextRecords::read_line(std::string_view line, const std::string& where) const {
  try {
    const Json json = parse_json(line);
    TextRecord record;
    const auto take = [&](const Json& value, std::vector<int32_t>& ids) {
      if (!value.is_array() && !value.is_string())
        throw Error(ErrorCode::InvalidData, "neither text nor a list of token ids");
      record.is_text = record.is_text || value.is_string();
      ids = value.is_array() ? ids_of(value) : encode(value.get<std::string>(), where);
    };
    if (!json.is_object()) {
      take(json, record.ids);
      return record;
    }
    if (!names_.empty() && !json.contains(fields_.front()) && json.contains(names_.front())) {
      take(json.at(names_.front()), record.ids);
      for (const std::string& name : names_)
        if (const auto found = json.find(name); found != json.end() && found->is_array()) {
          if (record.is_text)
            throw Error(ErrorCode::InvalidData, "'" + name + "' stands beside text, whose numbers the tokenizer makes");
          record.fields[name] = ids_of(*found);
        }
      return record;
    }
    for (size_t i = 0; i < fields_.size(); ++i) {
      const auto found = json.find(fields_[i]);
      if (found == json.end())
        throw Error(ErrorCode::InvalidData, "there is no field '" + fields_[i] + "'",
                    "field=NAME names the one with the text or the ids, field=A+B two texts that are one sample");
      if (i > 0 && found->is_array())
        throw Error(ErrorCode::InvalidData, "two lists of token ids are no pair of texts", "one list holds both");
      take(*found, i == 0 ? record.ids : record.second.emplace());
    }
    return record;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Usage || std::string_view(error.what()).starts_with(file_)) throw;
    throw error.in(where);
  }
}

}  // namespace detent
