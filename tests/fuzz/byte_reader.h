#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace detent::fuzz {

/// Takes numbers from the front of an input; zeros when it is used up.
class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : rest_(bytes) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }

  template <class T>
  T take() {
    T value{};
    const size_t count = rest_.size() < sizeof value ? rest_.size() : sizeof value;
    std::memcpy(&value, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return value;
  }
  uint8_t byte() { return take<uint8_t>(); }
  /// Returns a number below `count`, which is not 0.
  size_t below(size_t count) { return byte() % count; }

 private:
  std::span<const uint8_t> rest_;
};

}  // namespace detent::fuzz
