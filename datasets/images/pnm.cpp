#include "datasets/images/pnm.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <memory>
#include <string>

#include "core/index.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using PnmBytes = std::vector<unsigned char>;

constexpr uint32_t kMostLevels = 65535;

[[noreturn]] void refuse_pnm(const std::string& what) { throw Error(ErrorCode::InvalidData, "the PNM image " + what); }

/// Reads the header, and the pixels one after the other.
class PnmReader {
 public:
  explicit PnmReader(const PnmBytes& bytes) : bytes_(bytes), kind_(bytes[1]) {
    width_ = number("width", INT32_MAX);
    height_ = number("height", INT32_MAX);
    highest_ = is_bitmap() ? 1 : number("highest level", kMostLevels);
    if (width_ == 0 || height_ == 0 || highest_ == 0)
      refuse_pnm("has no valid header: its size or its highest level is 0");
    check_complete();
  }

  [[nodiscard]] uint64_t width() const { return width_; }
  [[nodiscard]] uint64_t height() const { return height_; }
  [[nodiscard]] bool is_deep() const { return highest_ > 255; }
  [[nodiscard]] int channels() const { return kind_ == '3' || kind_ == '6' ? 3 : 1; }

  /// Reads the levels of a row into `to`.
  /// scaled  the highest level becomes 255, as in Pillow: v / highest * 255 in double, rounded half to even
  template <class Level>
  void read_row(Level* to, bool scaled) {
    const size_t count = as_index(width_) * as_index(channels());
    if (!is_text() && is_bitmap()) return read_bits(to, count);
    const bool changes = scaled && !is_bitmap() && highest_ != 255;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t level = is_text() ? text_level() : binary_level();
      to[i] = static_cast<Level>(changes ? std::nearbyint(static_cast<double>(level) / highest_ * 255) : level);
    }
  }

 private:
  [[nodiscard]] bool is_bitmap() const { return kind_ == '1' || kind_ == '4'; }
  [[nodiscard]] bool is_text() const { return kind_ < '4'; }

  /// Refuses a file that is shorter than its levels.
  void check_complete() const {
    const uint64_t row_values = width_ * as_index(channels());
    const uint64_t row = !is_text() && is_bitmap() ? (width_ + 7) / 8 : row_values * (!is_text() && is_deep() ? 2 : 1);
    const uint64_t left = bytes_.size() - std::min(bytes_.size(), at_);  // text: each level has at least a digit
    if (bytes_of_pixels(row, height_, 1) > left)
      refuse_pnm("is truncated: its header says " + std::to_string(width_) + "x" + std::to_string(height_) +
                 " pixels, and " + std::to_string(left) + " bytes follow behind byte " + std::to_string(at_));
  }

  void skip_blanks_and_comments() {
    for (; at_ < bytes_.size() && (std::isspace(bytes_[at_]) != 0 || bytes_[at_] == '#'); ++at_)
      if (bytes_[at_] == '#')
        while (at_ + 1 < bytes_.size() && bytes_[at_] != '\n' && bytes_[at_] != '\r') ++at_;
  }

  /// Returns the next number of at most so many digits, and skips one character behind a number of any length.
  uint32_t number(const char* what, uint32_t most, bool one_digit = false) {
    skip_blanks_and_comments();
    if (at_ >= bytes_.size()) refuse_pnm(std::string("is truncated: it ends before its ") + what);
    if (std::isdigit(bytes_[at_]) == 0)
      refuse_pnm("is damaged: at byte " + std::to_string(at_) + " stands no number for its " + what);
    const size_t begin = at_;
    uint64_t value = 0;
    do value = std::min<uint64_t>(UINT32_MAX, value * 10 + bytes_[at_] - '0');
    while (++at_ < bytes_.size() && !one_digit && std::isdigit(bytes_[at_]) != 0);
    if (value > most)
      refuse_pnm("is damaged: the " + std::string(what) + " at byte " + std::to_string(begin) + " is above " +
                 std::to_string(most));
    if (!one_digit) ++at_;
    return static_cast<uint32_t>(value);
  }

  uint32_t text_level() {
    if (is_bitmap()) return number("pixels", INT32_MAX, true) != 0 ? 0 : 255;
    return checked(number("pixels", INT32_MAX));
  }

  uint32_t binary_level() {
    const uint32_t first = bytes_[at_++];
    return checked(is_deep() ? first << 8 | bytes_[at_++] : first);
  }

  [[nodiscard]] uint32_t checked(uint32_t level) const {
    if (level > highest_)
      refuse_pnm("is damaged: before byte " + std::to_string(at_) + " stands a level of " + std::to_string(level) +
                 ", and its header says " + std::to_string(highest_) + " at most");
    return level;
  }

  template <class Level>
  void read_bits(Level* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = (bytes_[at_ + i / 8] << i % 8 & 0x80) != 0 ? 0 : 255;
    at_ += (count + 7) / 8;
  }

  const PnmBytes& bytes_;
  unsigned char kind_;
  size_t at_ = 2;
  uint32_t width_ = 0, height_ = 0, highest_ = 0;
};

/// Reads all rows; the result's channels are 1 or 3, blue first.
template <class Level>
Pixels read_pnm(PnmReader& reader, int channels, bool scaled) {
  const size_t width = as_index(reader.width()), height = as_index(reader.height());
  const size_t row_values = width * as_index(channels);
  const auto owner = std::make_shared<std::vector<Level>>(row_values * height);
  std::vector<Level> row(width * as_index(reader.channels()));
  for (size_t y = 0; y < height; ++y) {
    reader.read_row(row.data(), scaled);
    Level* to = owner->data() + y * row_values;
    if (channels == 1)
      std::copy(row.begin(), row.end(), to);
    else if (reader.channels() == 1)
      for (size_t x = 0; x < width; ++x, to += 3) std::fill_n(to, 3, row[x]);
    else
      for (size_t x = 0; x < width; ++x, to += 3) std::reverse_copy(&row[3 * x], &row[3 * x] + 3, to);
  }
  return {owner,
          reinterpret_cast<const unsigned char*>(owner->data()),
          {static_cast<int>(height), static_cast<int>(width)},
          channels,
          sizeof(Level) == 2 ? Pixels::Depth::Bits16 : Pixels::Depth::Bits8,
          row_values * sizeof(Level)};
}

}  // namespace

Pixels decode_pnm(const PnmBytes& bytes, bool as_stored, const AdmitImage& admit) {
  PnmReader reader(bytes);
  const int channels = as_stored ? reader.channels() : 3;
  const bool is_deep = as_stored && reader.is_deep();
  const uint64_t pixel = as_index(channels) * (is_deep ? 2 : 1);
  admit({reader.width(), reader.height(), bytes_of_pixels(reader.width(), reader.height(), pixel)});
  return is_deep ? read_pnm<uint16_t>(reader, channels, false) : read_pnm<uint8_t>(reader, channels, !as_stored);
}

}  // namespace detent
