#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace detent {

/// A 128-bit digest of content. Equal content -> equal digest; not safe against deliberate collisions.
struct Digest {
  uint64_t first = 0, second = 0;
  /// Returns 32 lower-case hexadecimal digits.
  [[nodiscard]] std::string hex() const;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

/// Digest of the bytes added, in order, however they are split.
/// Source  A. Appleby, MurmurHash3_x64_128 with seed 0 (public domain): 16 bytes a round.
class ContentHash {
 public:
  void add(std::span<const std::byte> bytes);
  /// Adds the length and the text: "ab", "c" differs from "a", "bc".
  void add_text(std::string_view text);
  void add_number(uint64_t number);
  /// Returns the digest of everything added so far; more may be added afterwards.
  [[nodiscard]] Digest digest() const;

 private:
  void add_block(const std::byte* block);

  uint64_t first_ = 0, second_ = 0, length_ = 0;
  std::array<std::byte, 16> rest_{};  // the first length_ % 16 bytes wait for a full block
};

}  // namespace detent
