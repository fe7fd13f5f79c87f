#include "datasets/text/charsmap.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "datasets/text/unicode.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr size_t kLongestCluster = 5;  // bytes; longer clusters are looked up by character

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

std::string decoded_base64(const std::string& text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int digit = base64_digit(c);
    if (digit < 0) throw Error(ErrorCode::InvalidData, "\"precompiled_charsmap\" is not base64");
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

/// A trie in an array (Darts), whose leaves are places in a text of words that end with 0.
class CharacterMap {
 public:
  explicit CharacterMap(const std::string& bytes) {
    uint32_t size = 0;
    if (bytes.size() >= sizeof(size)) std::memcpy(&size, bytes.data(), sizeof(size));
    if (size == 0 || size % sizeof(uint32_t) != 0 || size > bytes.size() - sizeof(size))
      throw Error(ErrorCode::InvalidData, "\"precompiled_charsmap\" is cut off");
    units_.resize(size / sizeof(uint32_t));
    std::memcpy(units_.data(), bytes.data() + sizeof(size), size);
    words_ = bytes.substr(sizeof(size) + size);
  }

  /// Returns what stands for the shortest beginning of `key` that the map has.
  [[nodiscard]] std::optional<std::string_view> find(std::string_view key) const {
    size_t at = offset(units_[0]);
    for (const char c : key) {
      const auto byte = static_cast<unsigned char>(c);
      at ^= byte;
      if (byte == 0 || at >= units_.size() || (units_[at] & 0x800000FF) != byte) return std::nullopt;
      const bool leaf = (units_[at] >> 8 & 1) == 1;
      at ^= offset(units_[at]);
      if (leaf) return at < units_.size() ? word_at(units_[at] & 0x7FFFFFFF) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  static size_t offset(uint32_t unit) { return static_cast<size_t>(unit >> 10) << ((unit & 0x200) >> 6); }

  [[nodiscard]] std::optional<std::string_view> word_at(size_t place) const {
    if (place >= words_.size()) return std::nullopt;
    const std::string_view rest = std::string_view(words_).substr(place);
    const std::string_view word = rest.substr(0, rest.find('\0'));
    return find_no_utf8(word) == std::string_view::npos ? std::optional(word) : std::nullopt;
  }

  std::vector<uint32_t> units_;
  std::string words_;
};

}  // namespace

TextChange charsmap_change(const std::string& base64) {
  if (base64.empty()) return [](std::string text) { return text; };
  const auto map = std::make_shared<const CharacterMap>(decoded_base64(base64));
  return [map](const std::string& text) {
    std::string changed;
    for_graphemes(text, [&](std::string_view cluster) {
      if (cluster.size() <= kLongestCluster)
        if (const auto word = map->find(cluster)) {
          changed += *word;
          return;
        }
      for (size_t at = 0; at < cluster.size();) {
        const size_t first = at;
        (void)next_character(cluster, at);
        const std::string_view character = cluster.substr(first, at - first);
        changed += map->find(character).value_or(character);
      }
    });
    return changed;
  };
}

}  // namespace detent
