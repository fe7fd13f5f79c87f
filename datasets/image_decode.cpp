#include "datasets/image_decode.h"

#include <algorithm>

#include "core/files/file_bytes.h"
#include "core/memory_limit.h"
#include "datasets/image_integrity.h"
#include "datasets/image_orientation.h"
#include "datasets/image_size.h"
#include "datasets/load_codecs.h"
#include "detent/error.h"

namespace detent {

namespace {

using Bytes = std::vector<unsigned char>;

[[noreturn]] void refuse_image(const std::string& what) { throw Error(ErrorCode::InvalidData, what); }

Bytes read_bytes(const std::filesystem::path& path) {
  const auto file = FileBytes::open(path);
  check_memory(file->size(), [&] { return path.string() + ": the file"; });
  Bytes bytes(file->size());
  file->read(0, bytes.data(), bytes.size());
  return bytes;
}

Pixels decode_bytes(const Bytes& bytes, bool as_stored) {
  if (bytes.empty()) refuse_image("the file is empty (0 bytes)");
  const ImageFormat format = check_image_complete(bytes);
  check_image_size(bytes, format);
  Pixels pixels;
  std::string error;
  using Decoding = ImageCodecs::Decoding;
  const bool turned_here =
      format == ImageFormat::WebP;  // the library does so for other formats, for this one in later versions
  const Decoding how = as_stored ? Decoding::AsStored : turned_here ? Decoding::BgrAsStored : Decoding::Bgr;
  if (!load_codecs().decode(format == ImageFormat::Png ? essential_png(bytes) : bytes, how, pixels, error))
    refuse_image("the image cannot be decoded: " + error);
  if (pixels.empty())
    refuse_image(format == ImageFormat::Unknown ? "not an image that can be decoded"
                                                : "the image is damaged and cannot be decoded");
  return turned_here && !as_stored ? turned_upright(pixels, webp_orientation(bytes)) : pixels;
}

Pixels decode_file(const std::filesystem::path& path, bool as_stored) {
  const Bytes bytes = read_bytes(path);
  try {
    return decode_bytes(bytes, as_stored);
  } catch (const Error& error) {
    throw error.in(path.string());
  }
}

/// v / 257, rounded: 257 is odd, so that there are no halves.
Pixels to_8_bits(const Pixels& deep) {
  const size_t row_values = static_cast<size_t>(deep.size().width) * static_cast<size_t>(deep.channels());
  const auto narrow = std::make_shared<Bytes>(row_values * static_cast<size_t>(deep.size().height));
  for (int y = 0; y < deep.size().height; ++y)
    std::transform(deep.row<uint16_t>(y), deep.row<uint16_t>(y) + row_values,
                   narrow->data() + static_cast<size_t>(y) * row_values,
                   [](uint16_t v) { return static_cast<unsigned char>((v + 128) / 257); });
  return {narrow, narrow->data(), deep.size(), deep.channels(), Pixels::Depth::Bits8, row_values};
}

}  // namespace

Pixels decode_image(const std::filesystem::path& path) {
  Pixels pixels = decode_file(path, false);
  if (pixels.depth() == Pixels::Depth::Bits16) return to_8_bits(pixels);
  if (pixels.depth() != Pixels::Depth::Bits8)
    refuse_image(path.string() + ": the image has neither 8-bit nor 16-bit pixels; give such data as .npy");
  return pixels;
}

Pixels decode_image_as_stored(const std::filesystem::path& path) { return decode_file(path, true); }

}  // namespace detent
