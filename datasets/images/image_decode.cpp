#include "datasets/images/image_decode.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "core/files/file_bytes.h"
#include "core/index.h"
#include "core/memory_limit.h"
#include "datasets/images/bmp.h"
#include "datasets/images/image_integrity.h"
#include "datasets/images/load_codecs.h"
#include "datasets/images/orientation.h"
#include "datasets/images/pixels.h"
#include "datasets/images/pnm.h"
#include "detent/base/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;

[[noreturn]] void refuse_image(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

// With the program itself less than 1 GB.
constexpr uint64_t kMostDecodingBytes = 900'000'000;
constexpr int kFirstTurned = 5;  // the orientations from here on swap the sides

Bytes read_bytes(const std::filesystem::path& path) {
  const auto file = FileBytes::open(path);
  check_memory(file->size(), [&] { return path.string() + ": the file"; });
  Bytes bytes(file->size());
  file->read(0, bytes.data(), bytes.size());
  return bytes;
}

/// Refuses an image that takes too much memory while it is decoded, or has a side beyond 2^20.
/// copies  of the pixels that are made after decoding
void admit(const ImageClaim& claim, uint64_t file_bytes, uint64_t copies) {
  const auto image = [&] {
    return "an image of " + std::to_string(claim.width) + "x" + std::to_string(claim.height) + " pixels";
  };
  constexpr uint64_t kLongestSide = uint64_t{1} << 20;
  if (std::max(claim.width, claim.height) > kLongestSide)
    refuse_image(image() + " has a side of more than " + std::to_string(kLongestSide));
  check_memory(claim.pixel_bytes, image);
  uint64_t bytes = 0;
  if (__builtin_mul_overflow(claim.pixel_bytes, 1 + copies, &bytes) ||
      __builtin_add_overflow(bytes, claim.further_bytes, &bytes) || __builtin_add_overflow(bytes, file_bytes, &bytes))
    bytes = UINT64_MAX;
  if (bytes > kMostDecodingBytes)
    throw Error(ErrorCode::InvalidData, image() + " takes more than " + memory_text(kMostDecodingBytes) + " to decode",
                "cut the image into tiles, or save it smaller");
  check_memory(bytes, [&] { return "decoding " + image(); });
}

Codecs::Result decode_by_format(const Bytes& bytes, ImageFormat format, bool as_stored, int sufficient_side,
                                const AdmitImage& admitted) {
  if (format == ImageFormat::Bmp || format == ImageFormat::Pnm) {
    const Pixels pixels =
        format == ImageFormat::Bmp ? decode_bmp(bytes, as_stored, admitted) : decode_pnm(bytes, as_stored, admitted);
    return {pixels, pixels.size()};
  }
  Codecs::Result result;
  std::string error;
  if (!load_codecs().decode({bytes, format, as_stored, sufficient_side, admitted}, result, error)) refuse_image(error);
  return result;
}

DecodedImage decode_bytes(const Bytes& bytes, bool as_stored, std::optional<int> sufficient_side) {
  if (bytes.empty()) refuse_image("the file is empty (0 bytes)");
  const ImageFormat format = check_image_complete(bytes);
  const int orientation = as_stored ? kUpright : exif_orientation(bytes, format);
  const uint64_t copies = orientation == kUpright ? 0 : 1;
  const Codecs::Result decoded = decode_by_format(bytes, format, as_stored, sufficient_side.value_or(0),
                                                  [&](const ImageClaim& claim) { admit(claim, bytes.size(), copies); });
  const int turn = std::max(orientation, decoded.orientation);  // a file has one of them
  PixelSize whole = decoded.whole;
  if (turn >= kFirstTurned) std::swap(whole.height, whole.width);
  return {turned_upright(decoded.pixels, turn), whole};
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
  if (image.pixels.depth() == Pixels::Depth::Bits16) image.pixels = to_8_bits(image.pixels);
  return image;
}

Pixels decode_image_as_stored(const std::filesystem::path& path) {
  return decode_file(path, true, std::nullopt).pixels;
}

}  // namespace detent
