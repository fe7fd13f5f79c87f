#include "datasets/image_decode.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "datasets/file_numbers.h"
#include "datasets/image_integrity.h"
#include "datasets/load_codecs.h"
#include "datasets/pixels.h"
#include "detent/base/error.h"

namespace detent {

namespace {

constexpr int kUpright = 1, kLastOrientation = 8;

/// Returns the orientation of the TIFF directory that begins at `start`.
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

/// Returns the EXIF orientation of a WebP file, 1 to 8; 1 when the file has none, or an unreadable one.
/// Source  RFC 9649 (WebP container), chunk EXIF; EXIF 2.32, tag 0x0112.
int webp_orientation(const std::vector<unsigned char>& bytes) {
  const FileNumbers in(bytes, true);
  constexpr uint64_t kHeader = 12, kChunkHeader = 8;
  for (uint64_t at = kHeader; at + kChunkHeader <= in.size();) {
    const uint64_t size = in.at(at + 4, 4), content = at + kChunkHeader;
    if (in.has("EXIF", at))  // some writers repeat JPEG's marker first
      return tiff_orientation(bytes, in.has("Exif", content) ? content + 6 : content);
    at = content + size + size % 2;
  }
  return kUpright;
}

/// Mirrors or turns the pixels as the EXIF orientation says; 1 changes nothing. The depth is not Other.
Pixels turned_upright(const Pixels& pixels, int orientation) {
  if (orientation == kUpright || pixels.empty()) return pixels;
  const PixelSize stored = pixels.size();
  PixelSize shown = stored;
  if (orientation >= 5) std::swap(shown.width, shown.height);
  const size_t bytes = pixels.pixel_bytes(), row = bytes * as_index(shown.width);
  const auto owner = std::make_shared<std::vector<unsigned char>>(row * as_index(shown.height));
  unsigned char* to = owner->data();
  for (int y = 0; y < shown.height; ++y)
    for (int x = 0; x < shown.width; ++x, to += bytes) {
      const auto [column, line] = stored_place(x, y, stored, orientation);
      std::memcpy(to, pixels.row(line) + as_index(column) * bytes, bytes);
    }
  return {owner, owner->data(), shown, pixels.channels(), pixels.depth(), row};
}

using Bytes = std::vector<unsigned char>;

[[noreturn]] void refuse_image(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

Bytes read_bytes(const std::filesystem::path& path) {
  const auto file = FileBytes::open(path);
  check_memory(file->size(), [&] { return path.string() + ": the file"; });
  Bytes bytes(file->size());
  file->read(0, bytes.data(), bytes.size());
  return bytes;
}

/// Returns the size in the header, turned as the pixels are.
PixelSize whole_size(const ImageSize& claimed, PixelSize decoded) {
  PixelSize size{static_cast<int>(claimed.height), static_cast<int>(claimed.width)};
  if ((size.height > size.width) != (decoded.height > decoded.width)) std::swap(size.height, size.width);
  return size;
}

/// Returns 2, 4 or 8 for a JPEG whose short side stays `sufficient` if it is decoded at that part of its size; else 1.
int reduction_of(const std::optional<ImageSize>& claimed, ImageFormat format, std::optional<int> sufficient) {
  if (format != ImageFormat::Jpeg || !sufficient || !claimed) return 1;
  const uint64_t least = static_cast<uint64_t>(*sufficient), side = std::min(claimed->width, claimed->height);
  for (const int reduction : {8, 4, 2})
    if (side >= least * static_cast<uint64_t>(reduction)) return reduction;
  return 1;
}

DecodedImage decode_bytes(const Bytes& bytes, bool as_stored, std::optional<int> sufficient_side) {
  if (bytes.empty()) refuse_image("the file is empty (0 bytes)");
  const ImageFormat format = check_image_complete(bytes);
  check_image_size(bytes, format);
  const std::optional<ImageSize> claimed = claimed_size(bytes, format);
  const int reduction = reduction_of(claimed, format, sufficient_side);
  Pixels pixels;
  std::string error;
  using Decoding = ImageCodecs::Decoding;
  const bool turned_here = format == ImageFormat::WebP;  // OpenCV turns other formats
  const Decoding how = as_stored ? Decoding::AsStored : turned_here ? Decoding::BgrAsStored : Decoding::Bgr;
  if (!load_codecs().decode(format == ImageFormat::Png ? essential_png(bytes) : bytes, how, reduction, pixels, error))
    refuse_image("the image cannot be decoded: " + error);
  if (pixels.empty())
    refuse_image(format == ImageFormat::Unknown ? "not an image that can be decoded"
                                                : "the image is damaged and cannot be decoded");
  if (turned_here && !as_stored) pixels = turned_upright(pixels, webp_orientation(bytes));
  return {pixels, reduction == 1 ? pixels.size() : whole_size(*claimed, pixels.size())};
}

DecodedImage decode_file(const std::filesystem::path& path, bool as_stored, std::optional<int> sufficient_side) {
  const Bytes bytes = read_bytes(path);
  try {
    return decode_bytes(bytes, as_stored, sufficient_side);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

/// Computes v / 257, rounded; 257 is odd, so there are no ties.
Pixels to_8_bits(const Pixels& deep) {
  const size_t row_values = as_index(deep.size().width) * as_index(deep.channels());
  const auto narrow = std::make_shared<Bytes>(row_values * as_index(deep.size().height));
  for (int y = 0; y < deep.size().height; ++y)
    std::transform(deep.row<uint16_t>(y), deep.row<uint16_t>(y) + row_values, narrow->data() + as_index(y) * row_values,
                   [](uint16_t v) { return static_cast<unsigned char>((v + 128) / 257); });
  return {narrow, narrow->data(), deep.size(), deep.channels(), Pixels::Depth::Bits8, row_values};
}

}  // namespace

DecodedImage decode_image(const std::filesystem::path& path, std::optional<int> sufficient_side) {
  DecodedImage image = decode_file(path, false, sufficient_side);
  if (image.pixels.depth() == Pixels::Depth::Bits16)
    image.pixels = to_8_bits(image.pixels);
  else if (image.pixels.depth() != Pixels::Depth::Bits8)
    refuse_image(path.string() + ": the image has neither 8-bit nor 16-bit pixels; give such data as .npy");
  return image;
}

Pixels decode_image_as_stored(const std::filesystem::path& path) {
  return decode_file(path, true, std::nullopt).pixels;
}

}  // namespace detent
