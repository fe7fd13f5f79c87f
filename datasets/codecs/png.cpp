// PNG by libpng. The library leaves its functions with longjmp: what lies between setjmp and them has no destructor.
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

#include "datasets/codecs/codec.h"

namespace detent {

namespace {

/// Keeps the text of an error in `char[]` of the caller, and drops warnings.
constexpr size_t kTextBytes = 128;

[[noreturn]] void leave_png(png_structp png, png_const_charp text) {
  auto* const kept = static_cast<char*>(png_get_error_ptr(png));
  std::strncpy(kept, text, kTextBytes - 1);
  png_longjmp(png, 1);
}

void drop_warning(png_structp, png_const_charp) {}

/// One file, and the library's state.
class PngReader {
 public:
  explicit PngReader(const Codecs::Request& request)
      : request_(request), png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, text_, leave_png, drop_warning)),
        info_(png_ ? png_create_info_struct(png_) : nullptr) {
    if (!info_) throw std::bad_alloc();
  }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

  Codecs::Result read() {
    guarded([&] {
      png_set_read_fn(png_, this, take);
      constexpr int kAllBesidesPixels = -1;
      png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, kAllBesidesPixels);
      png_read_info(png_, info_);
    });
    const uint32_t width = png_get_image_width(png_, info_), height = png_get_image_height(png_, info_);
    const bool deep = png_get_bit_depth(png_, info_) == 16;
    const int channels = request_.as_stored ? stored_channels() : 3;
    const uint64_t bytes = bytes_of_pixels(width, height, as_index(channels) * (deep ? 2 : 1));
    request_.admit({width, height, bytes, height * sizeof(png_bytep) + (deep ? bytes / 2 : 0)});
    const NewPixels pixels({static_cast<int>(height), static_cast<int>(width)}, channels,
                           deep ? Pixels::Depth::Bits16 : Pixels::Depth::Bits8);
    std::vector<png_bytep> rows(height);
    for (uint32_t y = 0; y < height; ++y) rows[y] = pixels.row(static_cast<int>(y));
    guarded([&] {
      convert(channels, deep);
      if (png_get_rowbytes(png_, info_) != pixels.row_bytes()) png_error(png_, "rows of another size");
      png_read_image(png_, rows.data());
      png_read_end(png_, nullptr);
    });
    return {pixels.pixels(), pixels.pixels().size()};
  }

 private:
  /// Runs calls of the library.
  /// Errors  Unreadable with the library's words and the place that it had reached.
  template <class Calls>
  void guarded(const Calls& calls) {
    if (setjmp(png_jmpbuf(png_)) == 0) {
      calls();
      return;
    }
    throw Unreadable{"the PNG image is damaged before byte " + std::to_string(at_) + ", in row " +
                     std::to_string(png_get_current_row_number(png_) + 1) + ": " + text_};
  }

  static void take(png_structp png, png_bytep to, size_t count) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    const std::vector<unsigned char>& bytes = reader.request_.bytes;
    if (count > bytes.size() - reader.at_) png_error(png, "the file ends");
    std::memcpy(to, bytes.data() + reader.at_, count);
    reader.at_ += count;
  }

  /// Returns 1 for gray, 3 for colours, 4 with transparency; gray with alpha has 4.
  [[nodiscard]] int stored_channels() const {
    const int kind = png_get_color_type(png_, info_);
    if (kind == PNG_COLOR_TYPE_GRAY) return 1;
    const bool is_clear = png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
    return (kind & PNG_COLOR_MASK_ALPHA) != 0 || is_clear ? 4 : 3;
  }

  /// Asks the library for these channels, blue first, and numbers of this machine.
  void convert(int channels, bool deep) {
    const int kind = png_get_color_type(png_, info_);
    const bool is_gray = (kind & PNG_COLOR_MASK_COLOR) == 0;
    if (deep) png_set_swap(png_);
    if (channels < 4)
      png_set_strip_alpha(png_);
    else
      png_set_tRNS_to_alpha(png_);
    if (kind == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (is_gray && png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (!is_gray)
      png_set_bgr(png_);
    else if (channels > 1)
      png_set_gray_to_rgb(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  const Codecs::Request& request_;
  char text_[kTextBytes] = "";
  size_t at_ = 0;
  png_structp png_;
  png_infop info_;
};

/// The state of the library while it writes.
struct PngWriter {
  char text[kTextBytes] = "";
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, text, leave_png, drop_warning);
  png_infop info = png ? png_create_info_struct(png) : nullptr;

  PngWriter() = default;
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

/// Filter and strategy are those of OpenCV: quick, and small enough for pictures of boxes.
bool write(PngWriter& writer, const Pixels& bgr) {
  png_structp png = writer.png;
  if (!writer.info || setjmp(png_jmpbuf(png)) != 0) return false;
  png_set_write_fn(
      png, &writer,
      [](png_structp from, png_bytep bytes, size_t count) {
        static_cast<PngWriter*>(png_get_io_ptr(from))->file.append(reinterpret_cast<const char*>(bytes), count);
      },
      [](png_structp) {});
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_compression_level(png, Z_BEST_SPEED);
  png_set_compression_strategy(png, Z_RLE);
  png_set_IHDR(png, writer.info, static_cast<png_uint_32>(bgr.size().width),
               static_cast<png_uint_32>(bgr.size().height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, writer.info);
  png_set_bgr(png);
  for (int y = 0; y < bgr.size().height; ++y) png_write_row(png, bgr.row(y));
  png_write_end(png, writer.info);
  return true;
}

}  // namespace

Codecs::Result decode_png(const Codecs::Request& request) { return PngReader(request).read(); }

std::string encode_png(const Pixels& bgr) {
  PngWriter writer;
  return write(writer, bgr) ? writer.file : std::string();
}

}  // namespace detent
