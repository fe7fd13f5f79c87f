#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace detent {

/// Tokens and their ids.
class TokenIds {
 public:
  void add(std::string token, int32_t id) { ids_[std::move(token)] = id; }
  [[nodiscard]] std::optional<int32_t> find(std::string_view token) const {
    const auto found = ids_.find(token);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] size_t size() const { return ids_.size(); }

 private:
  /// Looks texts up without a copy.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::unordered_map<std::string, int32_t, Hash, std::equal_to<>> ids_;
};

/// Turns one piece of a text into tokens. Many threads call it at once.
class TokenModel {
 public:
  virtual ~TokenModel() = default;
  /// Appends the ids of a piece, which is not empty.
  /// Errors  InvalidData for a piece that the vocabulary cannot write, where it has no token for that.
  virtual void encode(std::string_view piece, std::vector<int32_t>& ids) const = 0;
  [[nodiscard]] virtual std::optional<int32_t> id_of(std::string_view token) const = 0;
};

/// Reads the member "model" of a tokenizer.json.
/// Errors  InvalidData naming a kind that is not known, and what is wrong in it; those of nlohmann::json.
[[nodiscard]] std::unique_ptr<TokenModel> read_token_model(const nlohmann::json& json);

// The kinds. Words that are tokens; the longest pieces from the left; pieces merged by rank; the likeliest pieces.
[[nodiscard]] std::unique_ptr<TokenModel> read_word_level(const nlohmann::json& json);
[[nodiscard]] std::unique_ptr<TokenModel> read_word_piece(const nlohmann::json& json);
[[nodiscard]] std::unique_ptr<TokenModel> read_byte_pairs(const nlohmann::json& json);
[[nodiscard]] std::unique_ptr<TokenModel> read_unigram(const nlohmann::json& json);

/// Reads {TOKEN: ID}.
/// Errors  InvalidData for an id below 0 or beyond 2^31; those of nlohmann::json.
[[nodiscard]] TokenIds read_token_ids(const nlohmann::json& json);
[[nodiscard]] int32_t read_token_id(const nlohmann::json& json);
/// Returns the tokens <0x00> to <0xFF> of a text's bytes; nullopt where one is missing.
[[nodiscard]] std::optional<std::vector<int32_t>> ids_of_bytes(const TokenModel& model, std::string_view text);

}  // namespace detent
