#include "datasets/text/token_model.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Json = nlohmann::json;

[[noreturn]] void refuse_piece(std::string_view piece) {
  throw Error(
      ErrorCode::InvalidData,
      "no tokens for '" + std::string(piece.substr(0, 40)) + "', and the vocabulary has none for what is unknown",
      "the vocabulary must be the model's");
}

class WordLevel final : public TokenModel {
 public:
  explicit WordLevel(const Json& json)
      : ids_(read_token_ids(json.at("vocab"))), unknown_(ids_.find(json.value("unk_token", "<unk>"))) {}

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    const auto id = ids_.find(piece);
    if (!id && !unknown_) refuse_piece(piece);
    ids.push_back(id ? *id : *unknown_);
  }
  [[nodiscard]] std::optional<int32_t> id_of(std::string_view token) const override { return ids_.find(token); }

 private:
  TokenIds ids_;
  std::optional<int32_t> unknown_;
};

class WordPiece final : public TokenModel {
 public:
  explicit WordPiece(const Json& json)
      : ids_(read_token_ids(json.at("vocab"))), unknown_(ids_.find(json.value("unk_token", "[UNK]"))),
        prefix_(json.value("continuing_subword_prefix", "##")),
        longest_(json.value("max_input_chars_per_word", size_t{100})) {}

  void encode(std::string_view piece, std::vector<int32_t>& ids) const override {
    const size_t before = ids.size();
    bool fits = count_characters(piece) <= longest_;
    std::string token;
    for (size_t first = 0; fits && first < piece.size();) {
      size_t end = piece.size();
      for (; end > first; --end) {
        if (end < piece.size() && (static_cast<unsigned char>(piece[end]) & 0xC0) == 0x80) continue;
        token.assign(first == 0 ? "" : prefix_).append(piece.substr(first, end - first));
        if (const auto id = ids_.find(token)) {
          ids.push_back(*id);
          break;
        }
      }
      fits = end > first;
      first = end;
    }
    if (fits) return;
    if (!unknown_) refuse_piece(piece);
    ids.resize(before);
    ids.push_back(*unknown_);
  }
  [[nodiscard]] std::optional<int32_t> id_of(std::string_view token) const override { return ids_.find(token); }

 private:
  TokenIds ids_;
  std::optional<int32_t> unknown_;
  std::string prefix_;
  size_t longest_;
};

}  // namespace

int32_t read_token_id(const nlohmann::json& json) {
  if (!json.is_number_integer() || json < 0 || json > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::InvalidData, "the id of a token is no whole number from 0 on");
  return json.get<int32_t>();
}

TokenIds read_token_ids(const nlohmann::json& json) {
  TokenIds ids;
  for (const auto& [token, id] : json.get_ref<const Json::object_t&>()) ids.add(token, read_token_id(id));
  if (ids.size() == 0) throw Error(ErrorCode::InvalidData, "the vocabulary holds no token");
  return ids;
}

std::optional<std::vector<int32_t>> ids_of_bytes(const TokenModel& model, std::string_view text) {
  constexpr const char* kDigits = "0123456789ABCDEF";
  std::vector<int32_t> ids;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const auto id = model.id_of(std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">");
    if (!id) return std::nullopt;
    ids.push_back(*id);
  }
  return ids;
}

std::unique_ptr<TokenModel> read_word_level(const nlohmann::json& json) { return std::make_unique<WordLevel>(json); }
std::unique_ptr<TokenModel> read_word_piece(const nlohmann::json& json) { return std::make_unique<WordPiece>(json); }

std::unique_ptr<TokenModel> read_token_model(const nlohmann::json& json) {
  struct Kind {
    const char* name;
    std::unique_ptr<TokenModel> (*read)(const Json& json);
  };
  constexpr Kind kKinds[] = {{"BPE", read_byte_pairs},
                             {"Unigram", read_unigram},
                             {"WordPiece", read_word_piece},
                             {"WordLevel", read_word_level}};
  // Files of before 2020 name no kind; each has its own members.
  const std::string kind = json.contains("type")                        ? json.at("type").get<std::string>()
                           : json.contains("merges")                    ? "BPE"
                           : json.contains("unk_id")                    ? "Unigram"
                           : json.contains("continuing_subword_prefix") ? "WordPiece"
                                                                        : "WordLevel";
  for (const Kind& known : kKinds)
    if (kind == known.name) return known.read(json);
  throw Error(ErrorCode::InvalidData, "the model '" + kind + "' is not known");
}

}  // namespace detent
