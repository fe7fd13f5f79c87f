#include "datasets/text_source.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "core/index.h"
#include "core/text.h"
#include "datasets/base/made_sources.h"
#include "datasets/base/mask_names.h"
#include "datasets/text/text_records.h"
#include "datasets/text/tokenizer.h"
#include "detent/base/error.h"

namespace detent {

namespace {

/// The facts of a text that an input is told.
enum class TextRole : uint8_t { Ids, Mask, Types, Positions };

bool holds_one_of(const std::string& name, std::span<const char* const> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
}

TextRole role_of(const InputSpec& input, std::span<const std::string> masks) {
  constexpr std::array<const char*, 3> kTypes = {"token_type", "type_ids", "segment"};
  constexpr std::array<const char*, 2> kPositions = {"position_id", "pos_ids"};
  if (is_called_mask(input.name) || std::ranges::count(masks, input.name) > 0) return TextRole::Mask;
  if (holds_one_of(input.name, kTypes)) return TextRole::Types;
  if (holds_one_of(input.name, kPositions)) return TextRole::Positions;
  return TextRole::Ids;
}

/// The inputs that a text feeds.
struct TextInputs {
  std::vector<FeedInput> inputs;
  std::vector<TextRole> roles;
  size_t ids = 0;      ///< the input of the ids; the first one where another source feeds them
  int64_t length = 0;  ///< that the model fixes; 0: open

  [[nodiscard]] bool has(TextRole role) const { return std::ranges::count(roles, role) > 0; }
};

[[noreturn]] void refuse_input(const InputSpec& input) {
  throw Error(ErrorCode::InvalidData, "text gives token ids, integers [batch, S], and the input '" + input.name +
                                          "' is " + std::string(name_of(input.type)) + " " + describe_shape(input));
}

TextInputs text_inputs(const SourceRequest& request, bool from_tokenizer) {
  TextInputs found{.inputs = {request.inputs.begin(), request.inputs.end()}};
  for (const FeedInput& input : found.inputs) {
    // An input that a separate source feeds gets the ids that the source holds, unless they are made here.
    const bool by_name = found.inputs.size() > 1 || from_tokenizer;
    const TextRole role = by_name ? role_of(input.spec, request.masks) : TextRole::Ids;
    const bool integers = input.spec.type == DataType::Int64 || input.spec.type == DataType::Int32;
    const size_t rank = input.batch_axis == kNoBatchAxis ? 1 : 2;
    if ((!integers && role != TextRole::Mask) || input.spec.shape.size() != rank || input.batch_axis > 0)
      refuse_input(input.spec);
    const int64_t length = std::max<int64_t>(0, input.spec.shape.back());
    if (found.length > 0 && length > 0 && length != found.length)
      throw Error(ErrorCode::InvalidOption, "the model's inputs have " + std::to_string(found.length) + " and " +
                                                std::to_string(length) + " tokens");
    found.length = std::max(found.length, length);
    found.roles.push_back(role);
  }
  if (std::ranges::count(found.roles, TextRole::Ids) > 1)
    throw Error(ErrorCode::InvalidOption,
                request.src + ": more than one input may be that of the token ids: " +
                    join(found.inputs, ", ", [](const FeedInput& input) { return input.spec.name; }),
                "--data INPUT=SRC feeds one input; masks, token types and positions are known by their names");
  found.ids = as_index(std::ranges::find(found.roles, TextRole::Ids) - found.roles.begin());
  if (found.ids == found.roles.size()) found.ids = 0;
  return found;
}

/// A sample as numbers: those of each role, all equally long.
struct TextRow {
  std::array<std::vector<int32_t>, 4> of_role;
  std::optional<int32_t> next = {};
  [[nodiscard]] std::vector<int32_t>& of(TextRole role) { return of_role[static_cast<size_t>(role)]; }
  [[nodiscard]] const std::vector<int32_t>& of(TextRole role) const { return of_role[static_cast<size_t>(role)]; }
};

/// Returns a sample without padding; types that are not given are 0.
TextRow row_of(TokenRow tokens) {
  TextRow row;
  const size_t length = tokens.ids.size();
  tokens.types.resize(length);
  row.of(TextRole::Ids) = std::move(tokens.ids);
  row.of(TextRole::Types) = std::move(tokens.types);
  row.of(TextRole::Mask).assign(length, 1);
  for (size_t i = 0; i < length; ++i) row.of(TextRole::Positions).push_back(static_cast<int32_t>(i));
  return row;
}

/// How samples are made of records.
class TextRows {
 public:
  TextRows(const TextSpec& spec, const TextRecords& records, const TextInputs& inputs)
      : inputs_(inputs), tokenizer_(records.tokenizer()), fixed_(as_index(inputs.length)), file_(spec.file.string()) {
    if (inputs.length > 0 && spec.length > 0 && inputs.length != spec.length)
      throw Error(ErrorCode::InvalidOption, "length=" + std::to_string(spec.length) + ", but the model's input '" +
                                                inputs.inputs.front().spec.name + "' has " +
                                                std::to_string(inputs.length) + " tokens");
    length_ = as_index(inputs.length > 0 ? inputs.length : spec.length);
    if (length_ == 0 && !records.is_json_lines())
      throw Error(ErrorCode::InvalidOption,
                  file_ + ": the model leaves the length of its input '" + inputs.inputs.front().spec.name + "' open",
                  "length=N says how many tokens a sample has; a .jsonl makes each line a sample: jq -R . FILE.txt > "
                  "FILE.jsonl");
  }

  /// True where each record of a .jsonl is a sample, whatever the length.
  [[nodiscard]] bool keeps(const TextRecord& record) const {
    return length_ == 0 || !record.fields.empty() || record.second || (record.is_text && added() > 0);
  }

  [[nodiscard]] TextRow of_record(const TextRecord& record) const {
    const size_t most = length_ > 0 ? length_ : tokenizer_ ? tokenizer_->most_tokens() : 0;
    TextRow row = row_of(record.is_text ? framed(record, most) : cut(record.ids, most));
    for (size_t i = 0; i < inputs_.inputs.size(); ++i)
      if (const auto field = record.fields.find(inputs_.inputs[i].spec.name); field != record.fields.end()) {
        if (field->second.size() != record.ids.size())
          throw Error(ErrorCode::InvalidData, file_ + ": a record holds " + std::to_string(field->second.size()) +
                                                  " numbers under '" + field->first + "' and " +
                                                  std::to_string(record.ids.size()) + " token ids");
        row.of(inputs_.roles[i]) = cut(field->second, most).ids;
      }
    if (fixed_ > 0) pad(row);
    return row;
  }

  [[nodiscard]] std::vector<TextRow> windows_of(const std::vector<int32_t>& stream) const {
    const size_t frame = added();
    if (frame >= length_) refuse_frame(frame);
    const size_t window = length_ - frame;
    if (stream.size() < window)
      throw Error(ErrorCode::InvalidData, file_ + ": " + std::to_string(stream.size()) + " tokens, fewer than the " +
                                              std::to_string(window) + " of one sample");
    std::vector<TextRow> rows;
    for (size_t first = 0; first + window <= stream.size(); first += window) {
      const auto ids = std::span(stream).subspan(first, window);
      rows.push_back(row_of(frame > 0 ? tokenizer_->frame().around(ids) : TokenRow{{ids.begin(), ids.end()}, {}}));
      const bool open = frame == 0 || tokenizer_->frame().added_behind() == 0;
      if (open && first + window < stream.size()) rows.back().next = stream[first + window];
    }
    return rows;
  }

 private:
  [[nodiscard]] size_t added(bool pair = false) const { return tokenizer_ ? tokenizer_->frame().added(pair) : 0; }

  [[noreturn]] void refuse_frame(size_t frame) const {
    throw Error(ErrorCode::InvalidOption, file_ + ": the tokenizer puts " + std::to_string(frame) +
                                              " tokens around a text, and a sample has " + std::to_string(length_));
  }

  /// Returns the lengths to which the package tokenizers cuts two texts that are longer than `room` together: the
  /// longer one down to the other, then both to a half.
  static std::pair<size_t, size_t> cut_pair(size_t first, size_t second, size_t room) {
    auto [shorter, longer] = std::minmax(first, second);
    size_t less = shorter, more = shorter > room ? shorter : std::max(shorter, room - shorter);
    if (less + more > room) less = room / 2, more = less + room % 2;
    return first > second ? std::pair(more, less) : std::pair(less, more);
  }

  static TokenRow cut(std::vector<int32_t> ids, size_t most) {
    if (most > 0 && ids.size() > most) ids.resize(most);
    return {std::move(ids), {}};
  }

  [[nodiscard]] TokenRow framed(const TextRecord& record, size_t most) const {
    const bool pair = record.second.has_value();
    static const TokenFrame kPlain;
    const TokenFrame& frame_of = tokenizer_ ? tokenizer_->frame() : kPlain;
    size_t first = record.ids.size(), second = pair ? record.second->size() : 0;
    const size_t frame = added(pair);
    if (most > 0 && most < frame + (pair ? 2 : 1)) refuse_frame(frame);
    if (most > 0 && first + second + frame > most) std::tie(first, second) = cut_pair(first, second, most - frame);
    const auto text = std::span(record.ids).first(first);
    return pair ? frame_of.around(text, std::span(*record.second).first(second)) : frame_of.around(text);
  }

  void pad(TextRow& row) const {
    const size_t length = row.of(TextRole::Ids).size();
    if (length >= fixed_) return;
    const std::optional<int32_t> id = tokenizer_ ? tokenizer_->padding_id() : std::nullopt;
    if (!id && !inputs_.has(TextRole::Mask))
      throw Error(ErrorCode::InvalidData, file_ + ": a record has " + std::to_string(length) + " of the model's " +
                                              std::to_string(fixed_) +
                                              " tokens, and neither a token nor an input says what is padding");
    for (auto& numbers : row.of_role) numbers.resize(fixed_);
    std::fill(row.of(TextRole::Ids).begin() + std::ssize(row.of(TextRole::Ids)) - as_extent(fixed_ - length),
              row.of(TextRole::Ids).end(), id.value_or(0));
  }

  const TextInputs& inputs_;
  const Tokenizer* tokenizer_;
  size_t fixed_, length_ = 0;
  std::string file_;
};

std::unique_ptr<DataSource> samples_of_rows(std::vector<TextRow> rows, TextInputs inputs, const std::string& name) {
  const size_t count = rows.size();
  return std::make_unique<ReadSource>(
      count, names_in(name), [rows = std::move(rows), inputs = std::move(inputs)](size_t i) {
        Sample sample{.next = std::vector<std::optional<int64_t>>(inputs.inputs.size())};
        for (size_t k = 0; k < inputs.inputs.size(); ++k) {
          const FeedInput& input = inputs.inputs[k];
          const std::vector<int32_t>& numbers = rows[i].of(inputs.roles[k]);
          const auto extent = as_extent(numbers.size());
          const Shape shape = input.batch_axis == kNoBatchAxis ? Shape{extent} : Shape{1, extent};
          sample.inputs.push_back(cast(Tensor::from<int32_t>(shape, numbers), input.spec.type));
        }
        sample.next[inputs.ids] = rows[i].next;
        return sample;
      });
}

}  // namespace

bool is_text(const std::string& src) { return src.starts_with("text:"); }

std::vector<std::filesystem::path> files_of_text(const std::string& src) {
  const TextSpec spec = parse_text_spec(src);
  return {spec.file, spec.vocabulary};
}

std::unique_ptr<DataSource> open_text(const SourceRequest& request) {
  const TextSpec spec = parse_text_spec(request.src);
  TextInputs inputs = text_inputs(request, Tokenizer::is_one(spec.vocabulary));
  std::vector<std::string> names{inputs.inputs[inputs.ids].spec.name};
  for (const FeedInput& input : inputs.inputs)
    if (input.spec.name != names.front()) names.push_back(input.spec.name);
  const TextRecords reader(spec, std::move(names));
  const TextRows rows(spec, reader, inputs);
  std::vector<TextRecord> records = reader.read();
  std::erase_if(records, [](const TextRecord& record) {
    return record.ids.empty() && (!record.second || record.second->empty());
  });
  if (records.empty()) throw Error(ErrorCode::InvalidData, spec.file.string() + ": there is no token in it");
  std::vector<TextRow> made;
  if (reader.is_json_lines() &&
      std::ranges::all_of(records, [&](const TextRecord& record) { return rows.keeps(record); }))
    for (const TextRecord& record : records) made.push_back(rows.of_record(record));
  else
    made = rows.windows_of(reader.joined(records));
  return samples_of_rows(std::move(made), std::move(inputs), spec.file.filename().string());
}

}  // namespace detent
