#pragma once

#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "datasets/audio/audio_clip.h"
#include "datasets/images/load_codecs.h"

namespace detent {

/// Why a file cannot be decoded: "the PNG image is damaged: ...".
struct Unreadable {
  std::string what;
};

/// The functions of one format each.
/// Errors  Unreadable.
Codecs::Result decode_jpeg(const Codecs::Request& request);
Codecs::Result decode_png(const Codecs::Request& request);
Codecs::Result decode_webp(const Codecs::Request& request);
Codecs::Result decode_tiff(const Codecs::Request& request);
void decode_flac(const std::vector<unsigned char>& bytes, AudioSink& sink);

/// Returns the bytes of a file with the pixels, 8-bit BGR; empty where the library cannot.
std::string encode_jpeg(const Pixels& bgr);
std::string encode_png(const Pixels& bgr);

/// Pixels that a decoder fills. They are zeros that take no memory before they are written.
class NewPixels {
 public:
  NewPixels(PixelSize size, int channels, Pixels::Depth depth)
      : size_(size), channels_(channels), depth_(depth),
        row_bytes_(as_index(size.width) * as_index(channels) * (depth == Pixels::Depth::Bits16 ? 2 : 1)),
        bytes_(static_cast<unsigned char*>(std::calloc(as_index(size.height), row_bytes_)), std::free) {
    if (!bytes_) throw std::bad_alloc();
  }

  template <class Value = unsigned char>
  [[nodiscard]] Value* row(int y) const {
    return reinterpret_cast<Value*>(bytes_.get() + as_index(y) * row_bytes_);
  }
  [[nodiscard]] size_t row_bytes() const { return row_bytes_; }
  [[nodiscard]] uint64_t bytes() const { return row_bytes_ * as_index(size_.height); }
  [[nodiscard]] Pixels pixels() const { return {bytes_, bytes_.get(), size_, channels_, depth_, row_bytes_}; }

 private:
  PixelSize size_;
  int channels_;
  Pixels::Depth depth_;
  size_t row_bytes_;
  std::shared_ptr<unsigned char> bytes_;
};

}  // namespace detent
