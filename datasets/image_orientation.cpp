#include "datasets/image_orientation.h"

#include <cstring>
#include <memory>
#include <utility>

#include "datasets/file_numbers.h"

namespace detent {

namespace {

constexpr int kUpright = 1, kLastOrientation = 8;

/// Of the TIFF directory that begins at `start`.
int tiff_orientation(const std::vector<unsigned char>& bytes, uint64_t start) {
  const FileNumbers little(bytes, true), big(bytes, false);
  const bool is_little = little.has("II", start);
  if (!is_little && !big.has("MM", start)) return kUpright;
  const FileNumbers& in = is_little ? little : big;
  const uint64_t directory = start + in.at(start + 4, 4);
  for (uint64_t i = 0; i < in.at(directory, 2); ++i) {
    const uint64_t entry = directory + 2 + 12 * i;
    if (in.at(entry, 2) != 0x0112 || in.at(entry + 2, 2) != 3) continue;
    const auto value = static_cast<int>(in.at(entry + 8, 2));
    return value >= kUpright && value <= kLastOrientation ? value : kUpright;
  }
  return kUpright;
}

/// The stored pixel that is shown at column x of row y.
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

}  // namespace

int webp_orientation(const std::vector<unsigned char>& bytes) {
  const FileNumbers in(bytes, true);
  constexpr uint64_t kHeader = 12, kChunkHeader = 8;
  for (uint64_t at = kHeader; at + kChunkHeader <= in.size();) {
    const uint64_t size = in.at(at + 4, 4), content = at + kChunkHeader;
    if (in.has("EXIF", at))  // some writers repeat the marker of JPEG in front
      return tiff_orientation(bytes, in.has("Exif", content) ? content + 6 : content);
    at = content + size + size % 2;
  }
  return kUpright;
}

Pixels turned_upright(const Pixels& pixels, int orientation) {
  if (orientation == kUpright || pixels.empty()) return pixels;
  const PixelSize stored = pixels.size();
  PixelSize shown = stored;
  if (orientation >= 5) std::swap(shown.width, shown.height);
  const size_t bytes = pixels.pixel_bytes(), row = bytes * static_cast<size_t>(shown.width);
  const auto owner = std::make_shared<std::vector<unsigned char>>(row * static_cast<size_t>(shown.height));
  unsigned char* to = owner->data();
  for (int y = 0; y < shown.height; ++y)
    for (int x = 0; x < shown.width; ++x, to += bytes) {
      const auto [column, line] = stored_place(x, y, stored, orientation);
      std::memcpy(to, pixels.row(line) + static_cast<size_t>(column) * bytes, bytes);
    }
  return {owner, owner->data(), shown, pixels.channels(), pixels.depth(), row};
}

}  // namespace detent
