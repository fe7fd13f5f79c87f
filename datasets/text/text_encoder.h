#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace detent {

/// Turns text into token ids. Many threads call it at once.
class TextEncoder {
 public:
  virtual ~TextEncoder() = default;
  /// Errors  InvalidData beginning with `where` for text that has no ids.
  [[nodiscard]] virtual std::vector<int32_t> encode(std::string_view text, const std::string& where) const = 0;
  /// Returns the token of a line's end; nullopt where there is none.
  [[nodiscard]] virtual std::optional<int32_t> line_end() const = 0;
};

}  // namespace detent
