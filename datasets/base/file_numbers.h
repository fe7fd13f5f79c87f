#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace detent {

/// Numbers in a file's bytes. Bytes beyond the end are 0, and a size of 0 counts as unknown.
class FileNumbers {
 public:
  FileNumbers(const std::vector<unsigned char>& bytes, bool is_little) : bytes_(bytes), is_little_(is_little) {}

  [[nodiscard]] uint64_t at(uint64_t offset, size_t count) const {
    uint64_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | byte(offset + (is_little_ ? count - 1 - i : i));
    return value;
  }
  [[nodiscard]] unsigned char byte(uint64_t offset) const { return offset < bytes_.size() ? bytes_[offset] : 0; }
  [[nodiscard]] bool has(std::string_view text, uint64_t offset) const {
    for (size_t i = 0; i < text.size(); ++i)
      if (byte(offset + i) != static_cast<unsigned char>(text[i])) return false;
    return true;
  }
  [[nodiscard]] uint64_t size() const { return bytes_.size(); }

 private:
  const std::vector<unsigned char>& bytes_;
  bool is_little_;
};

}  // namespace detent
