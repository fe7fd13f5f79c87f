#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/text/byte_characters.h"
#include "datasets/text/pre_tokenizer.h"
#include "datasets/text/text_encoder.h"
#include "datasets/text/token_frame.h"
#include "datasets/text/token_model.h"

namespace detent {

/// A tokenizer.json of Hugging Face's library "tokenizers", with its ids.
class Tokenizer final : public TextEncoder {
 public:
  /// Returns true for a file of this form, by its end .json.
  [[nodiscard]] static bool is_one(const std::filesystem::path& path);
  /// Errors  InvalidData naming the file: no such document, a part of a kind that is not known.
  [[nodiscard]] static Tokenizer read(const std::filesystem::path& path);

  [[nodiscard]] std::vector<int32_t> encode(std::string_view text, const std::string& where) const override;
  [[nodiscard]] std::optional<int32_t> line_end() const override;

  [[nodiscard]] const TokenFrame& frame() const { return frame_; }
  /// Returns the most tokens of a sample; 0: the file names no number.
  [[nodiscard]] size_t most_tokens() const { return most_tokens_; }
  [[nodiscard]] std::optional<int32_t> padding_id() const { return padding_id_; }

 private:
  /// A token that is found in a text before it is taken apart.
  struct Added {
    std::string text;
    int32_t id = 0;
    bool whole_word = false, takes_left = false, takes_right = false;
  };
  struct AddedTokens {
    std::vector<Added> tokens;  ///< the longest first
    std::string first_bytes;
    void sort();
  };
  /// A token, or what lies between tokens.
  struct Part {
    std::string text;
    std::optional<int32_t> id = {};
    bool leads = false;
  };
  void read_added(const nlohmann::json& json);
  [[nodiscard]] static std::vector<Part> find_added(const Part& part, const AddedTokens& added);

  TextChange normalize_;
  PieceSplit split_;
  std::unique_ptr<TokenModel> model_;
  TokenFrame frame_;
  AddedTokens in_text_, in_normalized_;
  std::optional<int32_t> padding_id_;
  size_t most_tokens_ = 0;
};

}  // namespace detent
