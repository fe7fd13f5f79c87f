// WebP by libwebp.
#include <webp/decode.h>

#include "datasets/codecs/codec.h"

namespace detent {

namespace {

const char* words_of(VP8StatusCode status) {
  switch (status) {
    case VP8_STATUS_OUT_OF_MEMORY: return "memory is exhausted";
    case VP8_STATUS_UNSUPPORTED_FEATURE: return "it has a feature that libwebp does not know";
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA: return "its compressed data are truncated";
    default: return "its compressed data are damaged";
  }
}

}  // namespace

Codecs::Result decode_webp(const Codecs::Request& request) {
  const auto check = [&](VP8StatusCode status) {
    if (status != VP8_STATUS_OK)
      throw Unreadable{std::string("the WebP image cannot be decoded: ") + words_of(status) +
                       " (chunks from byte 12 on)"};
  };
  WebPDecoderConfig config;
  WebPInitDecoderConfig(&config);
  check(WebPGetFeatures(request.bytes.data(), request.bytes.size(), &config.input));
  const PixelSize size{config.input.height, config.input.width};
  const int channels = request.as_stored && config.input.has_alpha ? 4 : 3;
  constexpr int kLossless = 2;
  constexpr uint64_t kArgb = 4, kAlpha = 1;
  const auto width = as_index(size.width), height = as_index(size.height);
  request.admit({width, height, bytes_of_pixels(width, height, as_index(channels)),
                 bytes_of_pixels(width, height, config.input.format == kLossless ? kArgb : kAlpha)});
  const NewPixels pixels(size, channels, Pixels::Depth::Bits8);
  config.output.colorspace = channels == 4 ? MODE_BGRA : MODE_BGR;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {pixels.row(0), static_cast<int>(pixels.row_bytes()), pixels.bytes()};
  check(WebPDecode(request.bytes.data(), request.bytes.size(), &config));
  return {pixels.pixels(), size};
}

}  // namespace detent
