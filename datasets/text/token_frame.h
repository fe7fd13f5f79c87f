#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace detent {

/// The ids of one sample: of its text, or of two, in their frame.
struct TokenRow {
  std::vector<int32_t> ids, types;
};

/// The tokens that stand around a text, or around two: the member "post_processor" of a tokenizer.json.
class TokenFrame {
 public:
  /// No token stands around a text; two texts follow each other.
  TokenFrame();
  /// json  null: as above
  /// Errors  InvalidData naming a kind that is not known; those of nlohmann::json.
  [[nodiscard]] static TokenFrame read(const nlohmann::json& json);

  /// Returns how many tokens it adds.
  [[nodiscard]] size_t added(bool pair = false) const;
  /// Returns how many of them stand behind a single text.
  [[nodiscard]] size_t added_behind() const;
  /// Returns a text, or two where `second` is given, in the frame.
  [[nodiscard]] TokenRow around(std::span<const int32_t> first) const;
  [[nodiscard]] TokenRow around(std::span<const int32_t> first, std::span<const int32_t> second) const;

 private:
  /// A text, or tokens that are added.
  struct Part {
    int text = -1;  ///< 0 the first, 1 the second, -1 none
    std::vector<int32_t> ids = {};
    int32_t type = 0;
  };
  using Parts = std::vector<Part>;
  void take(const nlohmann::json& json);
  [[nodiscard]] static Parts read_template(const nlohmann::json& json, const nlohmann::json& tokens);
  [[nodiscard]] static TokenRow laid_out(const Parts& parts, std::span<const int32_t> first,
                                         std::span<const int32_t> second);

  Parts single_, pair_;
};

}  // namespace detent
