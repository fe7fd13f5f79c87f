#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Bytes of a text, from `first` up to `end`.
struct TextRange {
  size_t first = 0, end = 0;
};

/// A thing that a tokenizer's file looks for in texts: a word, or a regular expression.
class TextPattern {
 public:
  explicit TextPattern(std::string word);
  /// Errors  InvalidData for an expression that cannot be read.
  [[nodiscard]] static TextPattern of_expression(const std::string& expression);
  /// Reads {"String": WORD} or {"Regex": EXPRESSION}.
  /// Errors  InvalidData; those of nlohmann::json.
  [[nodiscard]] static TextPattern of_json(const nlohmann::json& json);

  /// Returns where it is, from left to right; places do not overlap.
  /// Errors  InvalidData where the search takes too long.
  [[nodiscard]] std::vector<TextRange> find_all(std::string_view text) const;

 private:
  struct Expression;
  TextPattern() = default;

  std::string word_;
  std::shared_ptr<const Expression> expression_;
};

}  // namespace detent
