#include "datasets/images/orientation.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/index.h"
#include "datasets/base/file_numbers.h"

namespace detent {

namespace {

using ExifBytes = std::vector<unsigned char>;

constexpr std::string_view kExifMarker{"Exif\0\0", 6}, kXmpMarker{"http://ns.adobe.com/xap/1.0/\0", 29};

std::optional<int> if_valid(uint64_t orientation) {
  constexpr uint64_t kLast = 8;
  if (orientation < kUpright || orientation > kLast) return kUpright;
  return static_cast<int>(orientation);
}

/// The parts of a file that hold its orientation: EXIF's parts, one behind the other, and the XMP.
struct Metadata {
  std::string exif, xmp;

  /// Returns the first orientation in EXIF's first directory, else that of the XMP, as Pillow does.
  [[nodiscard]] int orientation() const { return in_exif().value_or(in_xmp().value_or(kUpright)); }

 private:
  [[nodiscard]] std::optional<int> in_exif() const {
    std::string_view tiff = exif;
    while (tiff.starts_with(kExifMarker)) tiff.remove_prefix(kExifMarker.size());  // some writers repeat it
    const ExifBytes bytes(tiff.begin(), tiff.end());
    const bool is_little = tiff.starts_with("II");
    const FileNumbers in(bytes, is_little);
    if ((!is_little && !tiff.starts_with("MM")) || in.at(2, 2) != 42) return std::nullopt;
    const uint64_t directory = in.at(4, 4);
    for (uint64_t i = 0; i < in.at(directory, 2); ++i) {
      const uint64_t entry = directory + 2 + 12 * i, type = in.at(entry + 2, 2), count = in.at(entry + 4, 4);
      if (in.at(entry, 2) != 0x0112) continue;
      constexpr uint64_t kShort = 3, kLong = 4;
      if ((type != kShort && type != kLong) || count == 0) return std::nullopt;
      const size_t bytes_of_one = type == kShort ? 2 : 4;
      const bool is_inside = count * bytes_of_one <= 4;
      return if_valid(in.at(is_inside ? entry + 8 : in.at(entry + 8, 4), bytes_of_one));
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<int> in_xmp() const {
    constexpr std::string_view kName = "tiff:Orientation";
    for (size_t at = xmp.find(kName); at != std::string::npos; at = xmp.find(kName, at + 1)) {
      std::string_view rest = std::string_view(xmp).substr(at + kName.size());
      if (!rest.starts_with("=\"") && !rest.starts_with(">")) continue;
      rest.remove_prefix(rest.front() == '>' ? 1 : 2);
      if (!rest.empty() && rest.front() >= '0' && rest.front() <= '9')
        return if_valid(static_cast<uint64_t>(rest.front() - '0'));
    }
    return std::nullopt;
  }
};

std::string_view chars_of(const ExifBytes& file) { return {reinterpret_cast<const char*>(file.data()), file.size()}; }

Metadata jpeg_metadata(const ExifBytes& file) {
  Metadata found;
  walk_jpeg(file, [&](unsigned char code, size_t begin, size_t end) {
    constexpr unsigned char kApp1 = 0xe1, kScan = 0xda;
    const std::string_view content = chars_of(file).substr(begin, end - begin);
    if (code == kApp1 && content.starts_with(kExifMarker)) found.exif += content.substr(kExifMarker.size());
    if (code == kApp1 && content.starts_with(kXmpMarker)) found.xmp = content.substr(kXmpMarker.size());
    return code != kScan;
  });
  return found;
}

Metadata png_metadata(const ExifBytes& file) {
  constexpr std::string_view kPlainXmp{"XML:com.adobe.xmp\0\0", 19};  // the second 0: not packed
  Metadata found;
  walk_png(file, [&](std::string_view type, size_t begin, size_t end) {
    constexpr size_t kHead = 8, kChecksum = 4;
    const std::string_view content = chars_of(file).substr(begin + kHead, end - kChecksum - begin - kHead);
    if (type == "eXIf" && found.exif.empty()) found.exif = content;
    if (type == "iTXt" && content.starts_with(kPlainXmp)) found.xmp = content;
  });
  return found;
}

Metadata webp_metadata(const ExifBytes& file) {
  const FileNumbers in(file, true);
  constexpr uint64_t kHeader = 12, kChunkHeader = 8;
  Metadata found;
  for (uint64_t at = kHeader; at + kChunkHeader <= in.size();) {
    const uint64_t size = in.at(at + 4, 4), content = at + kChunkHeader;
    const std::string_view bytes = chars_of(file).substr(std::min(content, in.size()), size);
    if (in.has("EXIF", at) && found.exif.empty()) found.exif = bytes;
    if (in.has("XMP ", at)) found.xmp = bytes;
    at = content + size + size % 2;
  }
  return found;
}

/// Returns the stored pixel that is shown at column x of row y.
std::pair<int, int> stored_place(int x, int y, PixelSize stored, int orientation) {
  const int right = stored.width - 1, bottom = stored.height - 1;
  switch (orientation) {
    case 2: return {right - x, y};
    case 3: return {right - x, bottom - y};
    case 4: return {x, bottom - y};
    case 5: return {y, x};
    case 6: return {y, bottom - x};
    case 7: return {right - y, bottom - x};
    case 8: return {right - y, x};
    default: return {x, y};
  }
}

template <size_t kBytes>
void turn(const Pixels& stored, PixelSize shown, int orientation, unsigned char* to) {
  const auto step_to = [&](int x, int y) {
    const auto [column, line] = stored_place(x, y, stored.size(), orientation);
    return as_extent(as_index(line) * stored.row_bytes() + as_index(column) * kBytes);
  };
  const ptrdiff_t along = shown.width > 1 ? step_to(1, 0) - step_to(0, 0) : 0;
  for (int y = 0; y < shown.height; ++y) {
    const unsigned char* from = stored.row(0) + step_to(0, y);
    for (int x = 0; x < shown.width; ++x, from += along, to += kBytes) std::memcpy(to, from, kBytes);
  }
}

}  // namespace

int exif_orientation(const ExifBytes& file, ImageFormat format) {
  switch (format) {
    case ImageFormat::Jpeg: return jpeg_metadata(file).orientation();
    case ImageFormat::Png: return png_metadata(file).orientation();
    case ImageFormat::WebP: return webp_metadata(file).orientation();
    default: return kUpright;
  }
}

Pixels turned_upright(const Pixels& pixels, int orientation) {
  if (orientation == kUpright || pixels.empty()) return pixels;
  PixelSize shown = pixels.size();
  if (orientation >= 5) std::swap(shown.width, shown.height);
  const size_t bytes = pixels.pixel_bytes(), row = bytes * as_index(shown.width);
  const auto owner = std::make_shared<std::vector<unsigned char>>(row * as_index(shown.height));
  switch (bytes) {
    case 1: turn<1>(pixels, shown, orientation, owner->data()); break;
    case 2: turn<2>(pixels, shown, orientation, owner->data()); break;
    case 3: turn<3>(pixels, shown, orientation, owner->data()); break;
    case 4: turn<4>(pixels, shown, orientation, owner->data()); break;
    case 6: turn<6>(pixels, shown, orientation, owner->data()); break;
    default: turn<8>(pixels, shown, orientation, owner->data()); break;
  }
  return {owner, owner->data(), shown, pixels.channels(), pixels.depth(), row};
}

}  // namespace detent
