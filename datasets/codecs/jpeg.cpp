// JPEG by libjpeg. The library leaves its functions with longjmp: what lies between setjmp and them has no destructor.
#include <algorithm>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

// Behind cstdio.
#include <jerror.h>
#include <jpeglib.h>

#include "datasets/codecs/codec.h"

namespace detent {

namespace {

/// The library's errors: they end the call; warnings do so only where data are missing, which the library would fill
/// with gray. Nothing is printed.
struct JpegErrors {
  jpeg_error_mgr manager;  // the first member: the library passes pointers to it
  std::jmp_buf leave;
  bool too_many_scans = false;

  JpegErrors() : manager() {
    jpeg_std_error(&manager);
    manager.error_exit = [](j_common_ptr info) { std::longjmp(of(info).leave, 1); };
    manager.output_message = [](j_common_ptr) {};
    manager.emit_message = [](j_common_ptr info, int level) {
      const int code = info->err->msg_code;
      if (level < 0 && (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF)) std::longjmp(of(info).leave, 1);
    };
  }
  static JpegErrors& of(j_common_ptr info) { return *reinterpret_cast<JpegErrors*>(info->err); }
};

/// Blocks of 8x8 in the file.
uint64_t blocks_of(const jpeg_decompress_struct& info) {
  uint64_t blocks = 0;
  for (int i = 0; i < info.num_components; ++i)
    blocks += uint64_t{info.comp_info[i].width_in_blocks} * info.comp_info[i].height_in_blocks;
  return blocks;
}

/// One file, and the library's state.
class JpegReader {
 public:
  explicit JpegReader(const Codecs::Request& request) : request_(request) {
    info_.err = &errors_.manager;
    guarded([&] {
      jpeg_create_decompress(&info_);
      jpeg_mem_src(&info_, request.bytes.data(), request.bytes.size());
      jpeg_read_header(&info_, TRUE);
    });
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  Codecs::Result read() {
    const PixelSize whole{static_cast<int>(info_.image_height), static_cast<int>(info_.image_width)};
    check_plausible();
    const bool is_gray = request_.as_stored && info_.num_components == 1, is_cmyk = info_.num_components == 4;
    info_.scale_num = 1;
    info_.scale_denom = static_cast<unsigned>(reduction(whole));
    info_.out_color_space = is_cmyk ? JCS_CMYK : is_gray ? JCS_GRAYSCALE : JCS_EXT_BGR;
    guarded([&] { jpeg_calc_output_dimensions(&info_); });
    const int channels = is_gray ? 1 : 3;
    request_.admit({info_.image_width, info_.image_height,
                    bytes_of_pixels(info_.output_width, info_.output_height, as_index(channels)), kept_bytes()});
    const NewPixels pixels({static_cast<int>(info_.output_height), static_cast<int>(info_.output_width)}, channels,
                           Pixels::Depth::Bits8);
    limit_scans();
    std::vector<unsigned char> cmyk(is_cmyk ? as_index(info_.output_width) * 4 : 0);
    guarded([&] {
      jpeg_start_decompress(&info_);
      while (info_.output_scanline < info_.output_height) {
        unsigned char* const to = pixels.row(static_cast<int>(info_.output_scanline));
        JSAMPROW row = is_cmyk ? cmyk.data() : to;
        jpeg_read_scanlines(&info_, &row, 1);
        if (is_cmyk) to_bgr(row, to);
      }
      jpeg_finish_decompress(&info_);
    });
    return {pixels.pixels(), whole};
  }

 private:
  /// Runs calls of the library.
  /// Errors  Unreadable with the library's words and the place that it had reached.
  template <class Calls>
  void guarded(const Calls& calls) {
    if (setjmp(errors_.leave) == 0) {
      calls();
      return;
    }
    refuse();
  }

  [[noreturn]] void refuse() {
    char text[JMSG_LENGTH_MAX] = "";
    const int code = errors_.manager.msg_code;
    const size_t left = info_.src ? info_.src->bytes_in_buffer : 0;
    const std::string place =
        " at byte " + std::to_string(request_.bytes.size() - std::min(left, request_.bytes.size()));
    if (errors_.too_many_scans)
      throw Unreadable{"the JPEG image has more scans" + place + " than a picture of its size needs"};
    if (code == JWRN_HIT_MARKER || code == JWRN_JPEG_EOF)
      throw Unreadable{"the JPEG image is truncated: its compressed data end" + place + ", in row " +
                       std::to_string(info_.output_scanline + 1) + " of " + std::to_string(info_.output_height)};
    errors_.manager.format_message(reinterpret_cast<j_common_ptr>(&info_), text);
    throw Unreadable{"the JPEG image cannot be decoded" + place + ": " + text};
  }

  /// Refuses a size for which the file is too short: Huffman codes have at least one bit for each block.
  void check_plausible() const {
    if (!info_.arith_code && blocks_of(info_) > 8 * uint64_t{request_.bytes.size()})
      throw Unreadable{"the JPEG image is damaged: its header says " + std::to_string(info_.image_width) + "x" +
                       std::to_string(info_.image_height) + " pixels, which " + std::to_string(request_.bytes.size()) +
                       " bytes cannot hold"};
  }

  [[nodiscard]] int reduction(PixelSize whole) const {
    const int side = std::min(whole.height, whole.width);
    if (request_.sufficient_side > 0)
      for (const int reduction : {8, 4, 2})
        if (side / reduction >= request_.sufficient_side) return reduction;
    return 1;
  }

  /// Returns the bytes of coefficients that the library keeps of files with several scans.
  [[nodiscard]] uint64_t kept_bytes() {
    return jpeg_has_multiple_scans(&info_) ? blocks_of(info_) * sizeof(JBLOCK) : 0;
  }

  /// Ends a file whose scans visit more blocks than 2^26, which takes seconds: 50 megapixels in 50 scans. Writers make
  /// about ten.
  void limit_scans() {
    progress_.pub.progress_monitor = [](j_common_ptr common) {
      const auto& info = *reinterpret_cast<j_decompress_ptr>(common);
      const auto& progress = *reinterpret_cast<Progress*>(common->progress);
      if (static_cast<uint64_t>(info.input_scan_number) * progress.blocks <= uint64_t{1} << 26) return;
      JpegErrors::of(common).too_many_scans = true;
      std::longjmp(JpegErrors::of(common).leave, 1);
    };
    progress_.blocks = blocks_of(info_);
    info_.progress = &progress_.pub;
  }

  /// Converts a row of Adobe's inverted CMYK.
  void to_bgr(const unsigned char* cmyk, unsigned char* bgr) const {
    for (unsigned x = 0; x < info_.output_width; ++x, cmyk += 4, bgr += 3) {
      const int k = cmyk[3];
      for (int i = 0; i < 3; ++i) bgr[i] = static_cast<unsigned char>(k - ((255 - cmyk[2 - i]) * k >> 8));
    }
  }

  struct Progress {
    jpeg_progress_mgr pub;
    uint64_t blocks;
  };
  /// Frees the library's memory also where the constructor throws.
  struct State : jpeg_decompress_struct {
    State() : jpeg_decompress_struct() {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() { jpeg_destroy_decompress(this); }
  };

  const Codecs::Request& request_;
  JpegErrors errors_;
  Progress progress_{};
  State info_;
};

/// The state of the library while it writes, and the memory that it allocates for the file.
struct JpegWriter {
  JpegErrors errors;
  jpeg_compress_struct info{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  JpegWriter() { info.err = &errors.manager; }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
};

bool write(JpegWriter& writer, const Pixels& bgr) {
  constexpr int kQuality = 85;
  if (setjmp(writer.errors.leave) != 0) return false;
  jpeg_compress_struct& info = writer.info;
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &writer.bytes, &writer.size);
  info.image_width = static_cast<JDIMENSION>(bgr.size().width);
  info.image_height = static_cast<JDIMENSION>(bgr.size().height);
  info.input_components = 3;
  info.in_color_space = JCS_EXT_BGR;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, kQuality, TRUE);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(bgr.row(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return true;
}

}  // namespace

Codecs::Result decode_jpeg(const Codecs::Request& request) { return JpegReader(request).read(); }

std::string encode_jpeg(const Pixels& bgr) {
  JpegWriter writer;
  if (!write(writer, bgr)) return {};
  return {reinterpret_cast<const char*>(writer.bytes), writer.size};
}

}  // namespace detent
