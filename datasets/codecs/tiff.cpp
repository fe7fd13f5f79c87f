// TIFF and BigTIFF by libtiff. The kinds that are read, and their pixels, are those of OpenCV 4.6: 8 bits through the
// library's RGBA pictures, which know palettes, CMYK, YCbCr and all packings; 10 to 16 bits as levels of gray or RGB.
// Alpha is dropped as Pillow drops it: colours are those in front of any ground.
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <limits>

#include "datasets/codecs/codec.h"

namespace detent {

namespace {

[[noreturn]] void refuse_tiff(const std::string& what) { throw Unreadable{"the TIFF image " + what}; }

/// The file in memory, for the library, and the first of its errors.
struct TiffBytes {
  const std::vector<unsigned char>& bytes;
  uint64_t at = 0;
  std::string error;

  static TiffBytes& of(thandle_t handle) { return *static_cast<TiffBytes*>(handle); }
  static tmsize_t read(thandle_t handle, void* to, tmsize_t count) {
    TiffBytes& file = of(handle);
    const uint64_t part = std::min<uint64_t>(static_cast<uint64_t>(count), file.bytes.size() - file.at);
    std::memcpy(to, file.bytes.data() + file.at, part);
    file.at += part;
    return static_cast<tmsize_t>(part);
  }
  static tmsize_t write(thandle_t, void*, tmsize_t) { return 0; }
  static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    TiffBytes& file = of(handle);
    const uint64_t from = whence == SEEK_CUR ? file.at : whence == SEEK_END ? file.bytes.size() : 0;
    return file.at = std::min<uint64_t>(from + offset, file.bytes.size());
  }
  static int close(thandle_t) { return 0; }
  static toff_t size(thandle_t handle) { return of(handle).bytes.size(); }
  static int map(thandle_t handle, void** base, toff_t* size) {
    *base = const_cast<unsigned char*>(of(handle).bytes.data());  // opened for reading only
    *size = of(handle).bytes.size();
    return 1;
  }
  static void unmap(thandle_t, void*, toff_t) {}

  static int keep_error(TIFF*, void* kept, const char*, const char* format, va_list words) {
    std::string& error = static_cast<TiffBytes*>(kept)->error;
    char text[256];
    if (error.empty() && std::vsnprintf(text, sizeof text, format, words) > 0) error = text;
    return 1;  // nothing is printed
  }
  static int drop_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }
};

/// Takes and gives the library's state.
class TiffFile {
 public:
  explicit TiffFile(const std::vector<unsigned char>& bytes) : source_{bytes} {
    TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
    if (!options) throw std::bad_alloc();
    constexpr tmsize_t kMostAtOnce = 1'000'000'000;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, kMostAtOnce);
    TIFFOpenOptionsSetErrorHandlerExtR(options, TiffBytes::keep_error, &source_);
    TIFFOpenOptionsSetWarningHandlerExtR(options, TiffBytes::drop_warning, nullptr);
    tiff_ = TIFFClientOpenExt("image", "r", &source_, TiffBytes::read, TiffBytes::write, TiffBytes::seek,
                              TiffBytes::close, TiffBytes::size, TiffBytes::map, TiffBytes::unmap, options);
    TIFFOpenOptionsFree(options);
    if (!tiff_) refuse("has no directory that can be read");
  }
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;
  ~TiffFile() {
    if (tiff_) TIFFClose(tiff_);
  }

  [[nodiscard]] TIFF* get() const { return tiff_; }
  /// Returns the number in a tag, or `otherwise`.
  template <class Number>
  [[nodiscard]] Number field(uint32_t tag, Number otherwise) const {
    Number value = otherwise;
    return TIFFGetField(tiff_, tag, &value) != 0 ? value : otherwise;
  }
  template <class Number>
  [[nodiscard]] Number needed(uint32_t tag, const char* name) const {
    Number value = 0;
    if (TIFFGetField(tiff_, tag, &value) == 0) refuse(std::string("has no tag ") + name);
    return value;
  }
  /// Errors  Unreadable with the library's words.
  [[noreturn]] void refuse(const std::string& what) const {
    const std::string place =
        tiff_ ? "directory at byte " + std::to_string(TIFFCurrentDirOffset(tiff_)) : "its place stands at byte 4";
    refuse_tiff(what + " (" + place + ")" + (source_.error.empty() ? "" : ": " + source_.error));
  }

 private:
  TiffBytes source_;
  TIFF* tiff_ = nullptr;
};

/// The directory, and the channels that are read. A strip is a tile as wide as the picture.
struct TiffForm {
  uint32_t width, height, tile_width, tile_height;
  uint16_t photometric, bits, samples, orientation;
  bool tiled, gray;
  bool deep = false;         ///< 16 bits a channel
  bool is_weighted = false;  ///< the colours are stored times alpha, which is divided out
  int channels = 3;

  TiffForm(const TiffFile& file, bool as_stored)
      : width(file.needed<uint32_t>(TIFFTAG_IMAGEWIDTH, "ImageWidth")),
        height(file.needed<uint32_t>(TIFFTAG_IMAGELENGTH, "ImageLength")), tile_width(width), tile_height(height),
        photometric(file.needed<uint16_t>(TIFFTAG_PHOTOMETRIC, "PhotometricInterpretation")),
        bits(file.field<uint16_t>(TIFFTAG_BITSPERSAMPLE, 1)), samples(0),
        orientation(file.field<uint16_t>(TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT)),
        tiled(TIFFIsTiled(file.get()) != 0),
        gray(photometric == PHOTOMETRIC_MINISWHITE || photometric == PHOTOMETRIC_MINISBLACK) {
    samples = file.field<uint16_t>(TIFFTAG_SAMPLESPERPIXEL, gray ? 1 : 3);
    if (width == 0 || height == 0) refuse_tiff("has no pixels: a side is 0");
    if (samples == 0 || samples > 4)
      refuse_tiff("has " + std::to_string(samples) + " samples a pixel; 1 to 4 are read");
    check_numbers(file);
    choose_channels(as_stored);
    is_weighted = !as_stored && alpha_of(file) == EXTRASAMPLE_ASSOCALPHA;
    if (deep && samples > 1 && file.field<uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) != PLANARCONFIG_CONTIG)
      refuse_tiff("has 16-bit samples in separate planes, which Detent does not read");
    if (tiled) {
      tile_width = file.needed<uint32_t>(TIFFTAG_TILEWIDTH, "TileWidth");
      tile_height = file.needed<uint32_t>(TIFFTAG_TILELENGTH, "TileLength");
    } else {
      tile_height = std::min(height, file.field<uint32_t>(TIFFTAG_ROWSPERSTRIP, height));
    }
    if (tile_width == 0 || tile_height == 0) refuse_tiff("has tiles or strips without pixels");
  }

  /// Returns the bytes of a row of a tile as it lies in the file.
  [[nodiscard]] uint64_t tile_row_bytes() const { return (uint64_t{tile_width} * samples * bits + 7) / 8; }
  [[nodiscard]] uint64_t pixel_bytes() const {
    return bytes_of_pixels(width, height, as_index(channels) * (deep ? 2 : 1));
  }
  /// Returns the bytes beside the pixels: a tile as it lies in the file and as it is read, copies of the picture.
  [[nodiscard]] uint64_t further_bytes() const {
    const uint64_t tile = bytes_of_pixels(tile_width, tile_height, deep ? 2 * samples : 4 + samples);
    const uint64_t copies = (turn() == 1 ? 0 : pixel_bytes()) + (deep ? pixel_bytes() / 2 : 0);
    uint64_t bytes = 0;
    return __builtin_add_overflow(tile, copies, &bytes) ? UINT64_MAX : bytes;
  }
  /// Returns the orientation in which the pixels have to be turned: the library itself has mirrored those of 8 bits.
  [[nodiscard]] int turn() const {
    if (orientation < ORIENTATION_TOPLEFT || orientation > ORIENTATION_LEFTBOT) return ORIENTATION_TOPLEFT;
    if (deep) return orientation;
    if (orientation < ORIENTATION_LEFTTOP) return ORIENTATION_TOPLEFT;
    return orientation == ORIENTATION_LEFTTOP || orientation == ORIENTATION_RIGHTBOT ? ORIENTATION_LEFTTOP
                                                                                     : ORIENTATION_RIGHTBOT;
  }

  /// Returns the kind of the sample behind the colours as the file declares it.
  static uint16_t alpha_of(const TiffFile& file) {
    uint16_t count = 0, *kinds = nullptr;
    const bool found = TIFFGetField(file.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds) != 0 && count > 0;
    return found ? kinds[0] : EXTRASAMPLE_UNSPECIFIED;
  }

 private:
  void check_numbers(const TiffFile& file) const {
    const auto format = file.field<uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
    constexpr const char* kAsArrays = ", not pixels of 8 or 16 bits; give such data as .npy";
    if (photometric == PHOTOMETRIC_LOGLUV || format == SAMPLEFORMAT_IEEEFP)
      refuse_tiff("has floating-point samples" + std::string(kAsArrays));
    if (format == SAMPLEFORMAT_INT) refuse_tiff("has signed samples" + std::string(kAsArrays));
    if (format != SAMPLEFORMAT_UINT) refuse_tiff("has samples of an unknown format" + std::string(kAsArrays));
    static constexpr uint16_t kRead[] = {1, 8, 10, 12, 14, 16};
    if (std::find(std::begin(kRead), std::end(kRead), bits) == std::end(kRead) && !is_reduced())
      refuse_tiff("has " + std::to_string(bits) + " bits a sample; 1, 8, 10, 12, 14 and 16 are read");
  }
  /// True for samples of more than 8 bits that the library reduces.
  [[nodiscard]] bool is_reduced() const {
    return bits > 8 && (photometric > PHOTOMETRIC_RGB || (samples != 1 && samples != 3 && samples != 4));
  }
  void choose_channels(bool as_stored) {
    deep = bits > 8 && !is_reduced();
    if (!as_stored) return;
    const bool palette = photometric == PHOTOMETRIC_PALETTE && bits != 1;
    channels = gray ? 1 : palette ? 3 : samples;
    if (channels == 2) refuse_tiff("has 2 samples a pixel that are not gray and alpha");
  }
};

/// Returns a level of gray as OpenCV rounds BT.601.
template <class Level>
Level luma(Level red, Level green, Level blue) {
  constexpr int64_t kScale = 14, kRed = 4899, kGreen = 9617, kBlue = (1 << kScale) - kRed - kGreen;
  return static_cast<Level>((red * kRed + green * kGreen + blue * kBlue + (1 << (kScale - 1))) >> kScale);
}

/// Divides a colour by alpha as Pillow does: cut, at most the highest level; 0 where alpha is 0.
template <class Level>
Level divided(Level colour, Level alpha) {
  constexpr uint64_t kHighest = std::numeric_limits<Level>::max();
  return alpha == 0 ? Level{0} : static_cast<Level>(std::min(kHighest, colour * kHighest / alpha));
}

/// Writes a pixel of RGB and alpha as one, three or four channels, blue first.
template <class Level>
void put(Level*& to, const TiffForm& form, Level red, Level green, Level blue, Level alpha) {
  if (form.is_weighted) red = divided(red, alpha), green = divided(green, alpha), blue = divided(blue, alpha);
  if (form.channels == 1) {
    *to++ = luma(red, green, blue);
    return;
  }
  *to++ = blue, *to++ = green, *to++ = red;
  if (form.channels == 4) *to++ = alpha;
}

/// A tile within the picture.
struct TilePlace {
  uint32_t index, x, y, width, height;
};

/// Calls `read(place)` for every tile.
template <class Read>
void for_tiles(const TiffForm& form, const Read& read) {
  uint32_t index = 0;
  for (uint64_t y = 0; y < form.height; y += form.tile_height)
    for (uint64_t x = 0; x < form.width; x += form.tile_width) {
      const auto left = static_cast<uint32_t>(x), top = static_cast<uint32_t>(y);
      read(TilePlace{index++, left, top, std::min(form.tile_width, form.width - left),
                     std::min(form.tile_height, form.height - top)});
    }
}

[[noreturn]] void refuse_tile(const TiffFile& file, const TiffForm& form, const TilePlace& place) {
  file.refuse(std::string("is damaged or truncated in ") + (form.tiled ? "tile " : "strip ") +
              std::to_string(place.index + 1) + ", from row " + std::to_string(place.y + 1) + " of " +
              std::to_string(form.height) + " on");
}

/// The library's picture of 8-bit RGBA.
class RgbaTiff {
 public:
  explicit RgbaTiff(const TiffFile& file) {
    // The library multiplies colours by an alpha that is not associated with them.
    const uint16_t as_they_are = EXTRASAMPLE_ASSOCALPHA;
    if (TiffForm::alpha_of(file) == EXTRASAMPLE_UNASSALPHA)
      TIFFSetField(file.get(), TIFFTAG_EXTRASAMPLES, 1, &as_they_are);
    char text[1024] = "";
    constexpr int kStopAtErrors = 1;
    if (TIFFRGBAImageOK(file.get(), text) == 0 || TIFFRGBAImageBegin(&image_, file.get(), kStopAtErrors, text) == 0)
      file.refuse(std::string("cannot be decoded: ") + text);
  }
  RgbaTiff(const RgbaTiff&) = delete;
  RgbaTiff& operator=(const RgbaTiff&) = delete;
  ~RgbaTiff() { TIFFRGBAImageEnd(&image_); }

  /// Reads a tile, its last row first.
  bool read(const TilePlace& place, uint32_t* to) {
    image_.row_offset = static_cast<int>(place.y);
    image_.col_offset = static_cast<int>(place.x);
    return TIFFRGBAImageGet(&image_, to, place.width, place.height) != 0;
  }

 private:
  TIFFRGBAImage image_{};
};

void read_8_bits(const TiffFile& file, const TiffForm& form, const NewPixels& pixels) {
  RgbaTiff image(file);
  std::vector<uint32_t> tile(as_index(std::min(form.tile_width, form.width)) * form.tile_height);
  // Strips of a picture that begins at the bottom are mirrored one by one: their order is left.
  const bool from_bottom = form.orientation == ORIENTATION_BOTRIGHT || form.orientation == ORIENTATION_BOTLEFT ||
                           form.orientation == ORIENTATION_RIGHTBOT || form.orientation == ORIENTATION_LEFTBOT;
  for_tiles(form, [&](const TilePlace& place) {
    if (!image.read(place, tile.data())) refuse_tile(file, form, place);
    const uint32_t top = from_bottom ? form.height - place.y - place.height : place.y;
    for (uint32_t line = 0; line < place.height; ++line) {
      const uint32_t* from = tile.data() + as_index(place.height - 1 - line) * place.width;
      unsigned char* to = pixels.row(static_cast<int>(top + line)) + as_index(place.x) * as_index(form.channels);
      for (uint32_t x = 0; x < place.width; ++x, ++from)
        put(to, form, static_cast<unsigned char>(TIFFGetR(*from)), static_cast<unsigned char>(TIFFGetG(*from)),
            static_cast<unsigned char>(TIFFGetB(*from)), static_cast<unsigned char>(TIFFGetA(*from)));
    }
  });
}

/// Returns the i-th level of a row, scaled to 16 bits. Levels of 16 bits have the order of this machine; others follow
/// one another from the highest bit of a byte on.
uint16_t level_at(const unsigned char* row, uint64_t i, uint16_t bits) {
  if (bits == 16) return reinterpret_cast<const uint16_t*>(row)[i];
  const uint64_t first = i * bits, last = first + bits - 1;
  uint32_t value = 0;
  for (uint64_t byte = first / 8; byte <= last / 8; ++byte) value = value << 8 | row[byte];
  value >>= 7 - last % 8;
  return static_cast<uint16_t>(value << (16 - bits));
}

void read_16_bits(const TiffFile& file, const TiffForm& form, const NewPixels& pixels) {
  const uint64_t row_bytes = form.tile_row_bytes();
  std::vector<unsigned char> tile(row_bytes * form.tile_height);
  for_tiles(form, [&](const TilePlace& place) {
    const auto room = static_cast<tmsize_t>(tile.size());
    const tmsize_t count = form.tiled ? TIFFReadEncodedTile(file.get(), place.index, tile.data(), room)
                                      : TIFFReadEncodedStrip(file.get(), place.index, tile.data(), room);
    if (count < static_cast<tmsize_t>(row_bytes * place.height)) refuse_tile(file, form, place);
    for (uint32_t line = 0; line < place.height; ++line) {
      const unsigned char* from = tile.data() + line * row_bytes;
      auto* to = pixels.row<uint16_t>(static_cast<int>(place.y + line)) + as_index(place.x) * as_index(form.channels);
      for (uint64_t x = 0; x < place.width; ++x) {
        const auto level = [&](uint64_t sample) {
          return level_at(from, x * form.samples + (form.samples == 1 ? 0 : sample), form.bits);
        };
        if (form.channels == 1 && form.samples == 1)
          *to++ = level(0);
        else
          put(to, form, level(0), level(1), level(2), form.samples == 4 ? level(3) : uint16_t{0});
      }
    }
  });
}

}  // namespace

Codecs::Result decode_tiff(const Codecs::Request& request) {
  const TiffFile file(request.bytes);
  const TiffForm form(file, request.as_stored);
  request.admit({form.width, form.height, form.pixel_bytes(), form.further_bytes()});
  const PixelSize size{static_cast<int>(form.height), static_cast<int>(form.width)};
  const NewPixels pixels(size, form.channels, form.deep ? Pixels::Depth::Bits16 : Pixels::Depth::Bits8);
  form.deep ? read_16_bits(file, form, pixels) : read_8_bits(file, form, pixels);
  return {pixels.pixels(), size, form.turn()};
}

}  // namespace detent
