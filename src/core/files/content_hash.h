#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace detent {

/// 128 bits that stand for some content. Equal content -> equal digest; no protection against people who want a
/// collision.
struct Digest {
  uint64_t first = 0, second = 0;
  /// 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Digest of what was added, in order. Depends on the bytes only, not on the pieces they come in.
/// Source  A. Appleby, MurmurHash3_x64_128 with seed 0 (public domain): 16 bytes a round.
class ContentHash {
 public:
  void add(std::span<const std::byte> bytes);
  /// The length and the text: "ab", "c" differs from "a", "bc".
  void add_text(std::string_view text);
  void add_number(uint64_t number);
  /// Of everything so far; more may be added afterwards.
  [[nodiscard]] Digest digest() const;

 private:
  void add_block(const std::byte* block);

  uint64_t first_ = 0, second_ = 0, length_ = 0;
  std::array<std::byte, 16> rest_{};  // the first length_ % 16 bytes wait for a full block
};

}  // namespace detent
