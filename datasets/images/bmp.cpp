#include "datasets/images/bmp.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/index.h"
#include "datasets/base/file_numbers.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using BmpBytes = std::vector<unsigned char>;
using Bgr = std::array<unsigned char, 3>;

[[noreturn]] void refuse_bmp(const std::string& what) { throw Error(ErrorCode::InvalidData, "the BMP image " + what); }

enum BmpPacking : uint32_t { kPlain = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3 };

/// The headers, with the masks of red, green, blue and alpha, and the palette.
struct BmpHeader {
  uint64_t width = 0, height = 0, bits = 0, packing = kPlain, pixels_at = 0;
  bool is_old = false;  ///< OS/2's
  bool top_first = false;
  std::array<uint32_t, 4> masks{};  ///< of pixels of 16 and 32 bits; alpha's is 0 where the file has none
  std::array<Bgr, 256> palette{};

  explicit BmpHeader(const BmpBytes& bytes) : in_(bytes, true) {
    constexpr uint64_t kOldBytes = 12, kLeastBytes = 36;
    header_bytes_ = in_.at(14, 4);
    pixels_at = in_.at(10, 4);
    is_old = header_bytes_ == kOldBytes;
    if (!is_old && (header_bytes_ < kLeastBytes || header_bytes_ > INT32_MAX))
      refuse_bmp("has no header that is known: " + std::to_string(header_bytes_) + " bytes at byte 14");
    if (in_.size() < kHeadersAt + header_bytes_) refuse_bmp("is truncated within its header");
    is_old ? read_old() : read_new();
    if (width == 0 || height == 0) refuse_bmp("has no pixels: a side at byte 18 is 0");
    if (bits <= 8) read_palette();
  }

  [[nodiscard]] uint64_t row_bytes() const { return (width * bits + 31) / 32 * 4; }
  [[nodiscard]] bool has_runs() const { return packing == kRuns8 || packing == kRuns4; }
  [[nodiscard]] bool is_gray() const {
    if (is_old) return true;
    return bits <= 8 && std::all_of(palette.begin(), palette.begin() + as_extent(uint64_t{1} << bits),
                                    [](const Bgr& c) { return c[0] == c[1] && c[0] == c[2]; });
  }

 private:
  static constexpr uint64_t kHeadersAt = 14;

  void read_old() {
    width = in_.at(18, 2);
    height = in_.at(20, 2);
    bits = in_.at(24, 2);
    check_bits(bits == 1 || bits == 4 || bits == 8 || bits == 24 || bits == 32);
  }

  void read_new() {
    const auto signed_at = [&](uint64_t at) { return int64_t{static_cast<int32_t>(in_.at(at, 4))}; };
    if (signed_at(18) < 0) refuse_bmp("has a negative width at byte 18");
    width = as_index(signed_at(18));
    height = as_index(std::abs(signed_at(22)));
    top_first = signed_at(22) < 0;
    bits = in_.at(28, 2);
    packing = in_.at(30, 4);
    if (packing > kMasks)
      refuse_bmp("is packed in a way that is not known: " + std::to_string(packing) + " at byte 30");
    const bool plain = packing == kPlain, masked = packing == kMasks;
    check_bits((plain && (bits == 1 || bits == 4 || bits == 8 || bits == 24)) ||
               ((plain || masked) && (bits == 16 || bits == 32)) || (bits == 4 && packing == kRuns4) ||
               (bits == 8 && packing == kRuns8));
    if (bits >= 16) read_masks(masked);
  }

  /// Reads the masks, which stand in headers of 52 bytes and more, or behind one of 40; alpha's from 56 bytes on.
  void read_masks(bool masked) {
    constexpr uint64_t kMasksAt = kHeadersAt + 40, kBytesWithAlpha = 56;
    const uint64_t stored = !masked ? 0 : header_bytes_ >= kBytesWithAlpha ? 4 : 3;
    for (uint64_t i = 0; i < stored; ++i) masks[i] = static_cast<uint32_t>(in_.at(kMasksAt + 4 * i, 4));
    if (masks == std::array<uint32_t, 4>{}) {
      masks =
          bits == 16 ? std::array<uint32_t, 4>{0x7c00, 0x3e0, 0x1f} : std::array<uint32_t, 4>{0xff0000, 0xff00, 0xff};
      return;
    }
    uint64_t taken = 0;
    for (size_t i = 0; i < masks.size(); ++i) {
      const uint64_t mask = masks[i], field = mask == 0 ? 0 : mask >> std::countr_zero(mask);
      if ((mask == 0 && i < 3) || (field & (field + 1)) != 0 || (mask & taken) != 0 || mask >> bits != 0)
        refuse_bmp("has masks at byte 54 that are no four separate fields of " + std::to_string(bits) + " bits");
      taken |= mask;
    }
  }

  void check_bits(bool known) const {
    if (!known)
      refuse_bmp("has " + std::to_string(bits) + " bits a pixel in a packing that does not take them (byte 28)");
  }

  void read_palette() {
    const uint64_t all = uint64_t{1} << bits, used = is_old ? 0 : in_.at(46, 4), entry = is_old ? 3 : 4;
    if (used > 256) refuse_bmp("has a palette of " + std::to_string(used) + " colours (byte 46)");
    const uint64_t count = used == 0 ? all : used, at = kHeadersAt + header_bytes_;
    if (in_.size() < at + count * entry) refuse_bmp("is truncated within its palette");
    for (uint64_t i = 0; i < count; ++i)
      for (uint64_t channel = 0; channel < 3; ++channel) palette[i][channel] = in_.byte(at + i * entry + channel);
  }

  FileNumbers in_;
  uint64_t header_bytes_ = 0;
};

/// The picture that is being decoded, row 0 on top.
class BmpCanvas {
 public:
  BmpCanvas(const BmpHeader& header, int channels)
      : width_(as_index(header.width)), height_(as_index(header.height)), channels_(as_index(channels)),
        top_first_(header.top_first),
        bytes_(std::make_shared<std::vector<unsigned char>>(width_ * height_ * channels_)) {}

  /// Returns the first byte of the row that is the y-th of the file.
  [[nodiscard]] unsigned char* row(size_t y) const {
    return bytes_->data() + (top_first_ ? y : height_ - 1 - y) * width_ * channels_;
  }
  /// Sets a pixel; of a gray picture to the colour's brightness (BT.601).
  void set(unsigned char*& to, const Bgr& colour) const {
    if (channels_ == 1) {
      *to++ = luma(colour);
      return;
    }
    to = std::copy(colour.begin(), colour.end(), to);
  }
  [[nodiscard]] Pixels pixels() const {
    const PixelSize size{static_cast<int>(height_), static_cast<int>(width_)};
    return {bytes_, bytes_->data(), size, static_cast<int>(channels_), Pixels::Depth::Bits8, width_ * channels_};
  }
  [[nodiscard]] size_t width() const { return width_; }
  [[nodiscard]] size_t height() const { return height_; }
  [[nodiscard]] size_t channels() const { return channels_; }

 private:
  static unsigned char luma(const Bgr& colour) {
    constexpr int kScale = 14, kRed = 4899, kGreen = 9617, kBlue = (1 << kScale) - kRed - kGreen;
    return static_cast<unsigned char>(
        (colour[0] * kBlue + colour[1] * kGreen + colour[2] * kRed + (1 << (kScale - 1))) >> kScale);
  }

  size_t width_, height_, channels_;
  bool top_first_;
  std::shared_ptr<std::vector<unsigned char>> bytes_;
};

/// Returns the field of a mask, its highest value as 255; 255 without a mask.
unsigned char field_of(uint32_t value, uint32_t mask) {
  if (mask == 0) return 255;
  const int shift = std::countr_zero(mask);
  return static_cast<unsigned char>(uint64_t{(value & mask) >> shift} * 255 / (mask >> shift));
}

/// Sets a pixel of 16 or 32 bits by the masks of its fields.
void set_fields(const BmpCanvas& canvas, unsigned char*& to, uint32_t value, const BmpHeader& header) {
  const auto& [red, green, blue, alpha] = header.masks;
  canvas.set(to, {field_of(value, blue), field_of(value, green), field_of(value, red)});
  if (canvas.channels() == 4) *to++ = field_of(value, alpha);
}

void read_rows(const BmpBytes& bytes, const BmpHeader& header, const BmpCanvas& canvas) {
  const uint64_t row_bytes = header.row_bytes();
  const unsigned char* from = bytes.data() + header.pixels_at;
  for (size_t y = 0; y < canvas.height(); ++y, from += row_bytes) {
    unsigned char* to = canvas.row(y);
    for (size_t x = 0; x < canvas.width(); ++x) switch (header.bits) {
        case 1: canvas.set(to, header.palette[from[x / 8] >> (7 - x % 8) & 1]); break;
        case 4: canvas.set(to, header.palette[from[x / 2] >> (x % 2 == 0 ? 4 : 0) & 15]); break;
        case 8: canvas.set(to, header.palette[from[x]]); break;
        case 24: canvas.set(to, {from[3 * x], from[3 * x + 1], from[3 * x + 2]}); break;
        default: {
          uint32_t value = 0;
          for (uint64_t bytes_read = header.bits / 8; bytes_read-- > 0;)
            value = value << 8 | from[x * header.bits / 8 + bytes_read];
          set_fields(canvas, to, value, header);
        }
      }
  }
}

/// Reads run lengths: pairs of a count and a colour, or of 0 and an escape.
class BmpRuns {
 public:
  BmpRuns(const BmpBytes& bytes, const BmpHeader& header, const BmpCanvas& canvas)
      : bytes_(bytes), header_(header), canvas_(canvas), at_(as_index(header.pixels_at)) {}

  void read() {
    for (y_ = 0; y_ < canvas_.height(); ++y_) {  // pixels that are left out
      unsigned char* to = canvas_.row(y_);
      for (size_t x = 0; x < canvas_.width(); ++x) canvas_.set(to, header_.palette[0]);
    }
    y_ = 0;
    while (y_ < canvas_.height() && !(y_ + 1 == canvas_.height() && x_ == canvas_.width())) {
      const unsigned count = next(), code = next();
      constexpr unsigned kLine = 0, kEnd = 1, kMove = 2;
      if (count > 0)
        put(count, [&](unsigned i) { return header_.bits == 8 ? code : i % 2 == 0 ? code >> 4 : code & 15; });
      else if (code == kEnd)
        return;
      else if (code == kLine)
        ++y_, x_ = 0;
      else if (code == kMove)
        x_ += next(), y_ += next();
      else
        literal(code);
    }
  }

 private:
  unsigned next() {
    if (at_ >= bytes_.size())
      refuse_bmp("is truncated: its pixels end in row " + std::to_string(y_ + 1) + " of " +
                 std::to_string(canvas_.height()));
    return bytes_[at_++];
  }

  void literal(unsigned count) {
    const size_t begin = at_, bytes = header_.bits == 8 ? count : (count + 1) / 2;
    if (bytes_.size() - at_ < bytes) at_ = bytes_.size(), next();
    put(count, [&](unsigned i) -> unsigned {
      if (header_.bits == 8) return bytes_[begin + i];
      return i % 2 == 0 ? bytes_[begin + i / 2] >> 4 : bytes_[begin + i / 2] & 15;
    });
    at_ = begin + bytes + bytes % 2;
  }

  template <class ColourAt>
  void put(unsigned count, const ColourAt& colour_at) {
    if (x_ == canvas_.width()) ++y_, x_ = 0;
    if (y_ >= canvas_.height() || canvas_.width() - std::min(x_, canvas_.width()) < count)
      refuse_bmp("is damaged: a run of " + std::to_string(count) + " pixels before byte " + std::to_string(at_) +
                 " leaves the picture");
    unsigned char* to = canvas_.row(y_) + x_ * canvas_.channels();
    for (unsigned i = 0; i < count; ++i) canvas_.set(to, header_.palette[colour_at(i)]);
    x_ += count;
  }

  const BmpBytes& bytes_;
  const BmpHeader& header_;
  const BmpCanvas& canvas_;
  size_t at_, x_ = 0, y_ = 0;
};

}  // namespace

Pixels decode_bmp(const BmpBytes& bytes, bool as_stored, const AdmitImage& admit) {
  const BmpHeader header(bytes);
  const bool has_alpha = header.bits == 32 && header.packing == kMasks;
  const int channels = !as_stored ? 3 : header.is_gray() ? 1 : has_alpha ? 4 : 3;
  if (!header.has_runs()) {
    const uint64_t pixels = bytes_of_pixels(header.row_bytes(), header.height, 1);
    if (header.pixels_at > bytes.size() || bytes.size() - header.pixels_at < pixels)
      refuse_bmp("is truncated: its header says " + std::to_string(header.width) + "x" + std::to_string(header.height) +
                 " pixels of " + std::to_string(header.bits) + " bits from byte " + std::to_string(header.pixels_at) +
                 " on, and the file has " + std::to_string(bytes.size()) + " bytes");
  }
  admit({header.width, header.height, bytes_of_pixels(header.width, header.height, as_index(channels))});
  const BmpCanvas canvas(header, channels);
  if (header.has_runs())
    BmpRuns(bytes, header, canvas).read();
  else
    read_rows(bytes, header, canvas);
  return canvas.pixels();
}

}  // namespace detent
