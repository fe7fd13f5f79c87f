#include "datasets/images/orientation.h"

#include <cstring>
#include <memory>
#include <utility>

#include "core/index.h"
#include "datasets/base/file_numbers.h"

namespace detent {

namespace {

using ExifBytes = std::vector<unsigned char>;

constexpr int kLastOrientation = 8;

/// Returns the orientation in the directory of a TIFF file.
int tiff_orientation(const ExifBytes& tiff) {
  const FileNumbers little(tiff, true), big(tiff, false);
  const bool is_little = little.has("II", 0);
  const FileNumbers& in = is_little ? little : big;
  if ((!is_little && !big.has("MM", 0)) || in.at(2, 2) != 42) return kUpright;
  const uint64_t directory = in.at(4, 4);
  for (uint64_t i = 0; i < in.at(directory, 2); ++i) {
    const uint64_t entry = directory + 2 + 12 * i;
    if (in.at(entry, 2) != 0x0112) continue;
    const auto value = static_cast<int>(in.at(entry + 8, 2));
    return value >= kUpright && value <= kLastOrientation ? value : kUpright;
  }
  return kUpright;
}

/// Returns the bytes of a file from `begin` to `end`, without EXIF's marker, which some writers repeat in other formats
/// than JPEG.
ExifBytes exif_between(const ExifBytes& file, size_t begin, size_t end) {
  constexpr size_t kMarker = 6;  // "Exif" and two zeros
  if (FileNumbers(file, true).has("Exif", begin)) begin += kMarker;
  if (end > file.size() || begin >= end) return {};
  return {file.begin() + as_extent(begin), file.begin() + as_extent(end)};
}

int jpeg_orientation(const ExifBytes& file) {
  int orientation = kUpright;
  walk_jpeg(file, [&](unsigned char code, size_t begin, size_t end) {
    constexpr unsigned char kApp1 = 0xe1, kScan = 0xda;
    constexpr size_t kMarker = 6;
    if (code == kApp1 && end - begin > kMarker)
      orientation = tiff_orientation({file.begin() + as_extent(begin + kMarker), file.begin() + as_extent(end)});
    return code != kApp1 && code != kScan;
  });
  return orientation;
}

int png_orientation(const ExifBytes& file) {
  int orientation = kUpright;
  bool found = false;
  walk_png(file, [&](std::string_view type, size_t begin, size_t end) {
    constexpr size_t kHead = 8, kChecksum = 4;
    if (type != "eXIf" || std::exchange(found, true)) return;
    orientation =
        tiff_orientation({file.begin() + as_extent(begin + kHead), file.begin() + as_extent(end - kChecksum)});
  });
  return orientation;
}

int webp_orientation(const ExifBytes& file) {
  const FileNumbers in(file, true);
  constexpr uint64_t kHeader = 12, kChunkHeader = 8;
  for (uint64_t at = kHeader; at + kChunkHeader <= in.size();) {
    const uint64_t size = in.at(at + 4, 4), content = at + kChunkHeader;
    if (in.has("EXIF", at))
      return tiff_orientation(exif_between(file, as_index(content), as_index(std::min(content + size, in.size()))));
    at = content + size + size % 2;
  }
  return kUpright;
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
    case ImageFormat::Jpeg: return jpeg_orientation(file);
    case ImageFormat::Png: return png_orientation(file);
    case ImageFormat::WebP: return webp_orientation(file);
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
