#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/index.h"
#include "datasets/images/preprocess.h"

namespace detent {

/// A decoded image: rows of interleaved channels, blue first when there are three or more. Copies and crops share the
/// pixels, which do not change. Independent of any image library.
class Pixels {
 public:
  enum class Depth : uint8_t { Bits8, Bits16, Other };  ///< of a channel; Other: floats, 32 bits

  Pixels() = default;  ///< no image
  /// bytes  valid as long as `owner` lives; a row begins `row_bytes` behind the previous one
  Pixels(std::shared_ptr<const void> owner, const unsigned char* bytes, PixelSize size, int channels, Depth depth,
         size_t row_bytes)
      : owner_(std::move(owner)), bytes_(bytes), size_(size), channels_(channels), depth_(depth),
        row_bytes_(row_bytes) {}

  [[nodiscard]] bool empty() const { return size_.height == 0 || size_.width == 0; }
  [[nodiscard]] PixelSize size() const { return size_; }
  [[nodiscard]] int channels() const { return channels_; }
  [[nodiscard]] Depth depth() const { return depth_; }
  [[nodiscard]] size_t row_bytes() const { return row_bytes_; }
  /// Returns the bytes of one pixel, all its channels; the depth is not Other.
  [[nodiscard]] size_t pixel_bytes() const { return as_index(channels_) * (depth_ == Depth::Bits16 ? 2 : 1); }
  /// Returns the first byte of a row; `Value` is uint16_t for 16 bits.
  template <class Value = uint8_t>
  [[nodiscard]] const Value* row(int y) const {
    return reinterpret_cast<const Value*>(bytes_ + as_index(y) * row_bytes_);
  }
  /// Returns the part of `size` whose first pixel is at row `top` and column `left`; it must lie within the image.
  [[nodiscard]] Pixels part(int top, int left, PixelSize size) const {
    return {owner_, row(top) + as_index(left) * pixel_bytes(), size, channels_, depth_, row_bytes_};
  }

 private:
  std::shared_ptr<const void> owner_;
  const unsigned char* bytes_ = nullptr;
  PixelSize size_;
  int channels_ = 0;
  Depth depth_ = Depth::Bits8;
  size_t row_bytes_ = 0;
};

}  // namespace detent
