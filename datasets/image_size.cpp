#include "datasets/image_size.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/memory_limit.h"
#include "datasets/file_numbers.h"

namespace detent {

namespace {

using Numbers = FileNumbers;

ImageSize jpeg_size(const Numbers& in) {
  for (uint64_t at = 2; at + 9 < in.size();) {
    if (in.byte(at) != 0xff) return {};
    const unsigned char code = in.byte(at + 1);
    if (code == 0xff) {  // fill
      ++at;
      continue;
    }
    const bool is_frame = code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc;
    if (is_frame) return {in.at(at + 7, 2), in.at(at + 5, 2), in.byte(at + 4) > 8 ? 2U : 1U};
    if (code == 0xda) return {};  // the scan: behind it nothing is said of sizes
    at += 2 + std::max<uint64_t>(2, in.at(at + 2, 2));
  }
  return {};
}

ImageSize webp_size(const Numbers& in) {
  if (in.has("VP8X", 12)) return {in.at(24, 3) + 1, in.at(27, 3) + 1};
  if (in.has("VP8 ", 12)) return {in.at(26, 2) & 0x3fff, in.at(28, 2) & 0x3fff};
  if (!in.has("VP8L", 12)) return {};
  const uint64_t bits = in.at(21, 4);
  return {(bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1};
}

ImageSize bmp_size(const Numbers& in) {
  if (in.at(14, 4) == 12) return {in.at(18, 2), in.at(20, 2)};
  const auto side = [&](uint64_t offset) {
    return static_cast<uint64_t>(std::abs(int64_t{static_cast<int32_t>(in.at(offset, 4))}));
  };
  return {side(18), side(22)};
}

/// Width and height behind blanks and comments.
ImageSize pnm_size(const Numbers& in) {
  uint64_t at = 2;
  const auto number = [&] {
    for (; at < in.size() && (std::isspace(in.byte(at)) != 0 || in.byte(at) == '#'); ++at)
      if (in.byte(at) == '#')
        while (at < in.size() && in.byte(at) != '\n') ++at;
    uint64_t value = 0;
    for (; std::isdigit(in.byte(at)) != 0; ++at) value = std::min<uint64_t>(UINT32_MAX, value * 10 + in.byte(at) - '0');
    return value;
  };
  const uint64_t width = number(), height = number();
  return {width, height, number() > 255 ? 2U : 1U};
}

ImageSize tiff_size(const Numbers& in) {
  ImageSize size;
  const uint64_t directory = in.at(4, 4);
  for (uint64_t i = 0; i < in.at(directory, 2); ++i) {
    const uint64_t entry = directory + 2 + 12 * i, tag = in.at(entry, 2);
    const uint64_t value = in.at(entry + 8, in.at(entry + 2, 2) == 3 ? 2 : 4);
    if (tag == 256) size.width = value;
    if (tag == 257) size.height = value;
    if (tag == 258 && in.at(entry + 4, 4) == 1 && value > 8) size.channel_bytes = 2;
  }
  return size;
}

ImageSize read_size(const std::vector<unsigned char>& bytes, ImageFormat format) {
  const Numbers big(bytes, false), little(bytes, true);
  switch (format) {
    case ImageFormat::Jpeg: return jpeg_size(big);
    case ImageFormat::Png: return {big.at(16, 4), big.at(20, 4), big.byte(24) > 8 ? 2U : 1U};
    case ImageFormat::WebP: return webp_size(little);
    case ImageFormat::Bmp: return bmp_size(little);
    case ImageFormat::Pnm: return pnm_size(little);
    case ImageFormat::Tiff: return tiff_size(little.has("II", 0) ? little : big);
    case ImageFormat::Unknown: break;
  }
  return {};
}

}  // namespace

std::optional<ImageSize> claimed_size(const std::vector<unsigned char>& bytes, ImageFormat format) {
  const ImageSize size = read_size(bytes, format);
  return size.width == 0 || size.height == 0 ? std::nullopt : std::optional(size);
}

void check_image_size(const std::vector<unsigned char>& bytes, ImageFormat format) {
  const auto size = claimed_size(bytes, format);
  if (!size) return;
  // No side has more than 32 bits, so only the product of both with the channels can overflow: it is then above the
  // limit.
  uint64_t needed = 0;
  if (__builtin_mul_overflow(size->width * 3 * size->channel_bytes, size->height, &needed)) needed = UINT64_MAX;
  check_memory(needed, [&] {
    return "an image of " + std::to_string(size->width) + "x" + std::to_string(size->height) + " pixels";
  });
}

}  // namespace detent
