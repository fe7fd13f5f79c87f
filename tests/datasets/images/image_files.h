// Files of images that OpenCV does not write: every header in the test's hand.
#pragma once

#include <cstdio>  // jpeglib.h needs it

// Behind cstdio.
#include <jpeglib.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace detent::test {

inline std::string bytes_of_number(uint64_t value, int count, bool little = true) {
  std::string bytes;
  for (int i = 0; i < count; ++i) bytes += static_cast<char>(value >> 8 * (little ? i : count - 1 - i) & 0xff);
  return bytes;
}
inline std::string little(uint64_t value, int count) { return bytes_of_number(value, count); }
inline std::string big(uint64_t value, int count) { return bytes_of_number(value, count, false); }

/// Returns rows of numbers of `bits` bits each, the first one in the highest bits; a row ends at a multiple of
/// `row_bits`.
inline std::string packed(const std::vector<std::vector<uint32_t>>& rows, int bits, size_t row_bits = 8) {
  std::string bytes;
  for (const auto& row : rows) {
    std::string text;
    for (const uint32_t value : row)
      for (int bit = bits - 1; bit >= 0; --bit) text += (value >> bit & 1) != 0 ? '1' : '0';
    text.resize((text.size() + row_bits - 1) / row_bits * row_bits, '0');
    for (size_t i = 0; i < text.size(); i += 8) bytes += static_cast<char>(std::stoi(text.substr(i, 8), nullptr, 2));
  }
  return bytes;
}

/// Returns rows of `channels` numbers below 2^bits a pixel, drawn from a seed.
inline std::vector<std::vector<uint32_t>> pixel_rows(int height, int width, int channels, int bits, uint32_t seed = 7) {
  std::vector<std::vector<uint32_t>> rows(static_cast<size_t>(height));
  uint32_t state = seed;
  for (auto& row : rows)
    for (int i = 0; i < width * channels; ++i) row.push_back((state = state * 1664525 + 1013904223) >> (32 - bits));
  return rows;
}

inline std::string deflated(const std::string& bytes) {
  std::string result(compressBound(bytes.size()), '\0');
  uLongf size = result.size();
  if (compress(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
               bytes.size()) != Z_OK)
    throw std::runtime_error("zlib does not compress");
  return result.substr(0, size);
}

inline std::string png_chunk(const std::string& type, const std::string& content) {
  const std::string body = type + content;
  return big(content.size(), 4) + body +
         big(crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())), 4);
}

struct PngKind {
  int colour, bits;
  bool interlaced = false;
  std::string palette = {}, transparent = {};
};
inline const std::string kPngMagic = "\x89PNG\r\n\x1a\n";

inline std::string png_header(int height, int width, const PngKind& kind) {
  return png_chunk("IHDR", big(static_cast<uint64_t>(width), 4) + big(static_cast<uint64_t>(height), 4) +
                               static_cast<char>(kind.bits) + static_cast<char>(kind.colour) + std::string(2, '\0') +
                               static_cast<char>(kind.interlaced));
}

/// Returns a PNG with rows of numbers, and with chunks that do not change its pixels.
inline std::string png_file(int height, int width, const PngKind& kind) {
  const int channels = kind.colour == 2 ? 3 : kind.colour == 4 ? 2 : kind.colour == 6 ? 4 : 1;
  const auto rows = pixel_rows(height, width, channels, kind.bits);
  struct Pass {
    int x, y, right, down;
  };
  const std::vector<Pass> adam7{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4},
                                {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}};
  std::string data;
  for (const Pass& pass : kind.interlaced ? adam7 : std::vector<Pass>{{0, 0, 1, 1}})
    for (int y = pass.y; y < height && pass.x < width; y += pass.down) {
      std::vector<uint32_t> row;
      for (int x = pass.x; x < width; x += pass.right)
        for (int c = 0; c < channels; ++c)
          row.push_back(rows[static_cast<size_t>(y)][static_cast<size_t>(x * channels + c)]);
      data += '\0' + packed({row}, kind.bits);
    }
  std::string file = kPngMagic + png_header(height, width, kind) + png_chunk("gAMA", big(45455, 4));
  if (!kind.palette.empty()) file += png_chunk("PLTE", kind.palette);
  if (!kind.transparent.empty()) file += png_chunk("tRNS", kind.transparent);
  return file + png_chunk("tEXt", std::string("a\0b", 3)) + png_chunk("IDAT", deflated(data)) + png_chunk("IEND", "");
}

struct JpegKind {
  J_COLOR_SPACE colours = JCS_YCbCr;
  int across = 2, down = 2;  ///< how many times finer the first channel is
  bool progressive = false, arithmetic = false;
  unsigned restart = 0;
};

/// Returns a JPEG of the picture, which has the channels of the colours.
inline std::string jpeg_file(const cv::Mat& picture, const JpegKind& kind) {
  jpeg_compress_struct info{};
  jpeg_error_mgr errors{};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(picture.cols);
  info.image_height = static_cast<JDIMENSION>(picture.rows);
  info.input_components = picture.channels();
  info.in_color_space = picture.channels() == 4 ? JCS_CMYK : picture.channels() == 3 ? JCS_RGB : JCS_GRAYSCALE;
  jpeg_set_defaults(&info);
  jpeg_set_colorspace(&info, kind.colours);
  info.comp_info[0].h_samp_factor = kind.across;
  info.comp_info[0].v_samp_factor = kind.down;
  info.restart_interval = kind.restart;
  info.arith_code = kind.arithmetic ? TRUE : FALSE;
  if (kind.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    JSAMPROW row = const_cast<JSAMPROW>(picture.ptr(static_cast<int>(info.next_scanline)));
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  const std::string file(reinterpret_cast<char*>(bytes), size);
  std::free(bytes);
  return file;
}

struct BmpKind {
  int bits, packing = 0, header = 40;
  bool top_first = false;
  std::string masks = {}, palette = {};
};

inline std::string bmp_file(int height, int width, const BmpKind& kind, const std::string& pixels) {
  std::string header = little(static_cast<uint64_t>(kind.header), 4);
  if (kind.header == 12)
    header += little(static_cast<uint64_t>(width), 2) + little(static_cast<uint64_t>(height), 2) + little(1, 2) +
              little(static_cast<uint64_t>(kind.bits), 2);
  else
    header += little(static_cast<uint64_t>(width), 4) +
              little(static_cast<uint64_t>(kind.top_first ? -height : height), 4) + little(1, 2) +
              little(static_cast<uint64_t>(kind.bits), 2) + little(static_cast<uint64_t>(kind.packing), 4) +
              std::string(20, '\0') + kind.masks;
  if (header.size() < static_cast<size_t>(kind.header)) header.resize(static_cast<size_t>(kind.header), '\0');
  const size_t begin = 14 + header.size() + kind.palette.size();
  return "BM" + little(begin + pixels.size(), 4) + little(0, 4) + little(begin, 4) + header + kind.palette + pixels;
}

struct TiffEntry {
  int tag, type;
  std::vector<uint64_t> values;
};

/// Returns a TIFF, or a BigTIFF, whose strips or tiles are `data`; their tags are added: one for each part, all the
/// first one where `shared`.
inline std::string tiff_file(std::vector<TiffEntry> entries, const std::vector<std::string>& data, bool tiled = false,
                             bool is_big = false, size_t shared = 0) {
  const int word = is_big ? 8 : 4;
  std::string file =
      is_big ? std::string("II+\0\x08\0\0\0", 8) + std::string(8, '\0') : std::string("II*\0", 4) + "    ";
  std::vector<uint64_t> places, sizes;
  for (const std::string& part : data) {
    places.push_back(file.size());
    sizes.push_back(part.size());
    file += part;
  }
  if (shared > 0) places.assign(shared, places[0]), sizes.assign(shared, sizes[0]);
  const int number = is_big ? 16 : 4;
  entries.push_back({tiled ? 324 : 273, number, places});
  entries.push_back({tiled ? 325 : 279, number, sizes});
  std::sort(entries.begin(), entries.end(), [](const TiffEntry& a, const TiffEntry& b) { return a.tag < b.tag; });
  std::string directory = little(entries.size(), is_big ? 8 : 2);
  for (const TiffEntry& entry : entries) {
    const int bytes = entry.type == 3 ? 2 : entry.type == 16 ? 8 : 4;
    std::string values;
    for (const uint64_t value : entry.values) values += little(value, bytes);
    if (values.size() > static_cast<size_t>(word)) {
      const size_t place = file.size();
      file += values;
      values = little(place, word);
    }
    values.resize(static_cast<size_t>(word), '\0');
    directory += little(static_cast<uint64_t>(entry.tag), 2) + little(static_cast<uint64_t>(entry.type), 2) +
                 little(entry.values.size(), word) + values;
  }
  file.replace(is_big ? 8 : 4, static_cast<size_t>(word), little(file.size(), word));
  return file + directory + std::string(8, '\0');
}

/// Returns the tags of a picture with `samples` samples of `bits` bits.
inline std::vector<TiffEntry> tiff_tags(uint64_t height, uint64_t width, uint64_t samples, uint64_t bits,
                                        uint64_t photometric, uint64_t rows) {
  return {{256, 4, {width}}, {257, 4, {height}},      {258, 3, std::vector<uint64_t>(samples, bits)},
          {259, 3, {1}},     {262, 3, {photometric}}, {277, 3, {samples}},
          {278, 4, {rows}}};
}

}  // namespace detent::test
