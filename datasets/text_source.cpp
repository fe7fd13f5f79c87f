#include "datasets/text_source.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/index.h"
#include "core/json/parse_json.h"
#include "core/parse.h"
#include "datasets/base/csv.h"
#include "datasets/base/made_sources.h"
#include "datasets/base/natural_order.h"
#include "datasets/vocabulary.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;
using Records = std::vector<std::vector<int32_t>>;

constexpr std::string_view kTextPrefix = "text:";
constexpr const char* kTextForm = "the form is text:FILE,vocab=bytes|FILE[,length=N][,field=NAME]";

bool is_json_lines(const std::filesystem::path& file) { return lower_extension(file) == ".jsonl"; }

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

/// Returns the text or the ids of a line.
/// Errors  InvalidData, without file and line.
const Json& record_of(const Json& line, const std::string& field) {
  if (!line.is_object()) return line;
  const auto found = line.find(field);
  if (found == line.end())
    throw Error(ErrorCode::InvalidData, "there is no field '" + field + "'",
                "field=NAME names the one with the text or the ids");
  return *found;
}

/// Reader of a text's records.
class Reader {
 public:
  explicit Reader(const TextSpec& spec) : spec_(spec), file_(spec.file.string()) {
    if (spec.vocabulary == "bytes")
      vocabulary_ = Vocabulary::of_bytes();
    else if (!spec.vocabulary.empty())
      vocabulary_ = Vocabulary::read(spec.vocabulary);
  }

  [[nodiscard]] Records read() const {
    const std::string text = read_text(spec_.file);
    if (!is_json_lines(spec_.file)) return {encode(text, file_)};
    Records records;
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

  /// Joins all records; with a line end between texts, if the vocabulary has one.
  [[nodiscard]] std::vector<int32_t> joined(const Records& records) const {
    const int32_t line_end = vocabulary_ ? vocabulary_->id_of("\n").value_or(-1) : -1;
    std::vector<int32_t> stream;
    for (const auto& record : records) {
      if (!stream.empty() && line_end >= 0) stream.push_back(line_end);
      stream.insert(stream.end(), record.begin(), record.end());
    }
    return stream;
  }

 private:
  [[nodiscard]] std::vector<int32_t> encode(const std::string& text, const std::string& where) const {
    if (!vocabulary_) throw Error(ErrorCode::Usage, file_ + ": text needs a vocabulary", kTextForm);
    return vocabulary_->encode(text, where);
  }

  [[nodiscard]] std::vector<int32_t> read_line(std::string_view line, const std::string& where) const {
    try {
      const Json json = parse_json(line);
      const Json& record = record_of(json, spec_.field);
      if (record.is_array()) return ids_of(record);
      if (record.is_string()) return encode(record.get<std::string>(), where);
      throw Error(ErrorCode::InvalidData, "neither text nor a list of token ids");
    } catch (const Error& error) {
      if (error.code() == ErrorCode::Usage || std::string_view(error.what()).starts_with(file_)) throw;
      throw error.in(where);
    }
  }

  const TextSpec& spec_;
  std::string file_;
  std::optional<Vocabulary> vocabulary_;
};

/// Returns windows of `length` of the first record, or where that is 0 whole records.
std::unique_ptr<DataSource> samples_of_text(Records records, size_t length, const FeedInput& input,
                                            const std::string& name) {
  const size_t samples = length == 0 ? records.size() : records.front().size() / length;
  return std::make_unique<ReadSource>(samples, names_in(name), [records = std::move(records), length, input](size_t i) {
    const std::vector<int32_t>& record = records[length == 0 ? i : 0];
    const size_t first = i * length, count = length == 0 ? record.size() : length;
    const auto ids = std::span(record).subspan(first, count);
    const auto extent = as_extent(count);
    const Shape shape = input.batch_axis == kNoBatchAxis ? Shape{extent} : Shape{1, extent};
    Sample sample{.inputs = {cast(Tensor::from<int32_t>(shape, ids), input.spec.type)}, .next = {std::nullopt}};
    if (first + count < record.size()) sample.next.front() = record[first + count];
    return sample;
  });
}

/// Returns the tokens in a sample: the number that the model fixes, else the user's, else 0.
int64_t sample_length(const TextSpec& spec, const FeedInput& input) {
  const InputSpec& wanted = input.spec;
  const bool integers = wanted.type == DataType::Int64 || wanted.type == DataType::Int32;
  const size_t rank = input.batch_axis == kNoBatchAxis ? 1 : 2;
  if (!integers || wanted.shape.size() != rank || input.batch_axis > 0)
    throw Error(ErrorCode::InvalidData, "text gives token ids, integers [batch, S], and the input '" + wanted.name +
                                            "' is " + std::string(name_of(wanted.type)) + " " + describe_shape(wanted));
  const int64_t fixed = std::max<int64_t>(0, wanted.shape.back());
  if (fixed > 0 && spec.length > 0 && fixed != spec.length)
    throw Error(ErrorCode::InvalidOption, "length=" + std::to_string(spec.length) + ", but the model's input '" +
                                              wanted.name + "' has " + std::to_string(fixed) + " tokens");
  const int64_t length = fixed > 0 ? fixed : spec.length;
  if (length == 0 && !is_json_lines(spec.file))
    throw Error(ErrorCode::InvalidOption,
                spec.file.string() + ": the model leaves the length of its input '" + wanted.name + "' open",
                "length=N says how many tokens a sample has");
  return length;
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

std::vector<std::vector<int32_t>> read_records(const TextSpec& spec) { return Reader(spec).read(); }

bool is_text(const std::string& src) { return src.starts_with(kTextPrefix); }

std::vector<std::filesystem::path> files_of_text(const std::string& src) {
  const TextSpec spec = parse_text_spec(src);
  return {spec.file, spec.vocabulary};
}

std::unique_ptr<DataSource> open_text(const SourceRequest& request) {
  const TextSpec spec = parse_text_spec(request.src);
  const int64_t length = sample_length(spec, request.inputs.front());
  const Reader reader(spec);
  Records records = reader.read();
  if (length > 0) {
    std::vector<int32_t> stream = reader.joined(records);
    if (stream.size() < as_index(length))
      throw Error(ErrorCode::InvalidData, spec.file.string() + ": " + std::to_string(stream.size()) +
                                              " tokens, fewer than the " + std::to_string(length) + " of one sample");
    records.assign(1, std::move(stream));
  }
  std::erase_if(records, [](const auto& record) { return record.empty(); });
  if (records.empty()) throw Error(ErrorCode::InvalidData, spec.file.string() + ": there is no token in it");
  return samples_of_text(std::move(records), as_index(length), request.inputs.front(), spec.file.filename().string());
}

}  // namespace detent
