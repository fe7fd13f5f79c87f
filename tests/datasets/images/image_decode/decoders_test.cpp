// Valid files of every kind decode to the pixels that OpenCV's codecs give, where those follow the file's header.
// pictures_as_pillow_test.cpp has the others.
#include <algorithm>
#include <opencv2/imgcodecs.hpp>

#include "datasets/data_files.h"
#include "datasets/images/image_decode.h"
#include "datasets/images/image_files.h"

namespace detent {
namespace {

using namespace test;

std::vector<unsigned char> in_memory(const std::string& file) { return {file.begin(), file.end()}; }

/// Returns 8-bit BGR, as decode_image: OpenCV leaves 16 bits.
cv::Mat bgr_of_opencv(const std::string& file, int flags = cv::IMREAD_COLOR | cv::IMREAD_ANYDEPTH) {
  const cv::Mat image = cv::imdecode(in_memory(file), flags);
  if (image.depth() != CV_16U) return image;
  cv::Mat narrow(image.size(), CV_8UC3);
  for (int y = 0; y < image.rows; ++y)
    std::transform(image.ptr<uint16_t>(y), image.ptr<uint16_t>(y) + 3 * image.cols, narrow.ptr(y),
                   [](uint16_t v) { return static_cast<unsigned char>((v + 128) / 257); });
  return narrow;
}

bool equal(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

class Decoders : public ::testing::Test {
 protected:
  /// Expects OpenCV's pixels, as BGR and as stored.
  void expect_opencvs_pixels(const std::string& file, const std::string& kind) {
    const auto path = folder_.write("image", file);
    const cv::Mat expected = bgr_of_opencv(file);
    ASSERT_FALSE(expected.empty()) << kind << ": OpenCV does not read it";
    EXPECT_TRUE(equal(mat_of(decode_image(path).pixels), expected)) << kind;
    EXPECT_TRUE(equal(mat_of(decode_image_as_stored(path)), cv::imdecode(in_memory(file), cv::IMREAD_UNCHANGED)))
        << kind << " as stored";
  }

  TemporaryFolder folder_;
};

std::string kind_of(std::initializer_list<int> numbers) {
  std::string text;
  for (const int number : numbers) text += std::to_string(number) + " ";
  return text;
}

TEST_F(Decoders, ReadJpegs) {
  const cv::Mat picture = test_picture(53, 75);
  for (const bool progressive : {false, true})
    for (const int across : {1, 2, 4})
      for (const int down : {1, 2})
        for (const unsigned restart : {0U, 3U})
          expect_opencvs_pixels(jpeg_file(picture, {JCS_YCbCr, across, down, progressive, false, restart}),
                                kind_of({progressive, across, down, static_cast<int>(restart)}));
  expect_opencvs_pixels(jpeg_file(picture, {JCS_RGB, 1, 1}), "RGB");
  expect_opencvs_pixels(jpeg_file(picture, {JCS_YCbCr, 2, 2, false, true}), "arithmetic codes");
  cv::Mat channels[4];
  cv::split(picture, channels);
  expect_opencvs_pixels(jpeg_file(channels[0], {JCS_GRAYSCALE, 1, 1}), "gray");
  channels[3] = channels[0].clone();
  cv::Mat cmyk;
  cv::merge(channels, 4, cmyk);
  expect_opencvs_pixels(jpeg_file(cmyk, {JCS_CMYK, 1, 1}), "CMYK");
  expect_opencvs_pixels(jpeg_file(cmyk, {JCS_YCCK, 2, 2}), "YCCK");
}

TEST_F(Decoders, ReadJpegsAtPartsOfTheirSize) {
  for (const JpegKind& kind : {JpegKind{}, JpegKind{JCS_YCbCr, 2, 1, true}}) {
    const std::string file = jpeg_file(test_picture(83, 121), kind);
    const auto path = folder_.write("image", file);
    for (const auto& [side, flags] : {std::pair{41, cv::IMREAD_REDUCED_COLOR_2},
                                      {20, cv::IMREAD_REDUCED_COLOR_4},
                                      {10, cv::IMREAD_REDUCED_COLOR_8}})
      EXPECT_TRUE(equal(mat_of(decode_image(path, side).pixels), bgr_of_opencv(file, flags))) << side;
  }
}

/// Returns an EXIF segment's TIFF directory: a maker's name, and an orientation.
std::string exif_of(int orientation, bool is_little) {
  const auto number = [&](int value, int count) {
    return bytes_of_number(static_cast<uint64_t>(value), count, is_little);
  };
  return (is_little ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) + number(0x010f, 2) + number(2, 2) +
         number(4, 4) + "abc" + '\0' + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) +
         std::string(6, '\0');
}

TEST_F(Decoders, TurnJpegsAndPngsAsExifSays) {
  const std::string jpeg = jpeg_file(test_picture(9, 14), {}), png = png_file(7, 10, {2, 8}),
                    deep = png_file(7, 10, {6, 16});
  constexpr size_t kHeaderEnd = 8 + 25;
  for (int orientation = 0; orientation <= 9; ++orientation)
    for (const bool is_little : {false, true}) {
      const std::string tiff = exif_of(orientation, is_little), exif = std::string("Exif\0\0", 6) + tiff;
      const std::string kind = kind_of({orientation, is_little});
      const std::string segment = "\xff\xe1" + big(exif.size() + 2, 2) + exif;
      expect_opencvs_pixels(jpeg.substr(0, 2) + segment + jpeg.substr(2), kind + "JPEG");
      for (const std::string& file : {png, deep}) {
        const std::string chunk = png_chunk("eXIf", tiff), end = file.substr(file.size() - 12);
        expect_opencvs_pixels(file.substr(0, kHeaderEnd) + chunk + file.substr(kHeaderEnd), kind + "PNG");
        expect_opencvs_pixels(file.substr(0, file.size() - 12) + chunk + end, kind + "PNG, behind the pixels");
      }
    }
}

TEST_F(Decoders, ReadPngs) {
  for (const auto& [width, height] : {std::pair{19, 13}, {1, 1}, {3, 9}})
    for (const bool interlaced : {false, true})
      for (const int bits : {1, 2, 4, 8, 16})
        for (const int colour : {0, 2, 3, 4, 6}) {
          if ((colour == 3 && bits == 16) || (colour != 0 && colour != 3 && bits < 8)) continue;
          PngKind kind{colour, bits, interlaced};
          if (colour == 3)
            for (int i = 0; i < 3 << bits; ++i) kind.palette += static_cast<char>(i * 7);
          const std::string name = kind_of({width, interlaced, bits, colour});
          expect_opencvs_pixels(png_file(height, width, kind), name);
          if (colour > 3) continue;
          for (size_t i = 0; i < (colour == 0 ? 2U : colour == 2 ? 6U : 2U); ++i)
            kind.transparent += static_cast<char>(i % 2);
          expect_opencvs_pixels(png_file(height, width, kind), name + "with transparency");
        }
}

TEST_F(Decoders, ReadWebPs) {
  cv::Mat picture = test_picture(37, 50), alpha;
  cv::merge(std::vector<cv::Mat>{picture, cv::Mat(picture.size(), CV_8U)}, alpha);
  for (int y = 0; y < alpha.rows; ++y)
    for (int x = 0; x < alpha.cols; ++x) alpha.at<cv::Vec4b>(y, x)[3] = static_cast<unsigned char>(5 * x);
  for (const cv::Mat& image : {picture, alpha})
    for (const int quality : {5, 80, 101}) {
      std::vector<unsigned char> bytes;
      ASSERT_TRUE(cv::imencode(".webp", image, bytes, {cv::IMWRITE_WEBP_QUALITY, quality}));
      expect_opencvs_pixels({bytes.begin(), bytes.end()}, kind_of({image.channels(), quality}));
    }
}

std::string palette_of(int bits, bool gray, size_t entry) {
  std::string palette;
  for (int i = 0; i < 1 << bits; ++i) {
    const int level = i * 255 / ((1 << bits) - 1);
    for (const int value : {level, gray ? level : 3 * i, gray ? level : 255 - i, 0})
      if (palette.size() % (entry + 1) < entry || entry == 4) palette += static_cast<char>(value);
    palette.resize(static_cast<size_t>(i + 1) * entry);
  }
  return palette;
}

TEST_F(Decoders, ReadBmps) {
  constexpr int kHeight = 7;
  for (const int width : {1, 9, 33})
    for (const bool top_first : {false, true}) {
      const auto pixels = [&](int bits) { return packed(pixel_rows(kHeight, width, 1, bits), bits, 32); };
      const auto expect = [&](const BmpKind& kind, int bits) {
        expect_opencvs_pixels(bmp_file(kHeight, width, kind, pixels(bits)),
                              kind_of({width, top_first, kind.bits, kind.packing, kind.header}));
      };
      for (const int bits : {1, 4, 8})
        for (const bool gray : {false, true}) {
          for (const int header : {40, 108, 124})
            expect({bits, 0, header, top_first, "", palette_of(bits, gray, 4)}, bits);
          expect({bits, 0, 12, false, "", palette_of(bits, gray, 3)}, bits);
        }
      expect({24, 0, 40, top_first}, 24);
      expect({24, 0, 12}, 24);
      expect({32, 0, 40, top_first}, 32);
      const std::string masks = little(0xff0000, 4) + little(0xff00, 4) + little(0xff, 4);
      for (const int header : {56, 108, 124})
        for (const uint32_t alpha : {0U, 0xff000000U}) expect({32, 3, header, top_first, masks + little(alpha, 4)}, 32);
    }
}

TEST_F(Decoders, ReadBmpsWithRunLengths) {
  // Runs, literals with and without padding, the end of lines and of the picture.
  const std::string eight("\x03\x05\0\x04\x01\x02\x03\x04\x02\x07\0\0\x09\x01\0\0\0\x03\x09\x08\x07\0\x06\x02\0\x01",
                          26);
  const std::string four("\x03\x57\0\x04\x12\x34\x02\x70\0\0\x09\x12\0\0\0\x05\x98\x76\x50\0\x04\x20\0\x01", 24);
  expect_opencvs_pixels(bmp_file(3, 9, {8, 1, 40, false, "", palette_of(8, false, 4)}, eight), "8 bits");
  expect_opencvs_pixels(bmp_file(3, 9, {4, 2, 40, false, "", palette_of(4, false, 4)}, four), "4 bits");
  const std::string moved("\x02\x05\0\x02\x03\x01\x02\x07\0\x01", 10);  // three to the right and one line on
  expect_opencvs_pixels(bmp_file(4, 9, {8, 1, 40, true, "", palette_of(8, false, 4)}, moved), "pixels left out");
}

TEST_F(Decoders, ReadPnms) {
  constexpr int kHeight = 5, kWidth = 11;
  for (const uint32_t highest : {255U, 65535U})  // others are not scaled by OpenCV: pictures_as_pillow_test.cpp
    for (const char kind : {'2', '3', '5', '6'}) {
      const int channels = kind == '3' || kind == '6' ? 3 : 1, bytes = highest > 255 ? 2 : 1;
      std::string file = std::string("P") + kind + "\n# drawn\n11 5\n" + std::to_string(highest) + "\n";
      for (const auto& row : pixel_rows(kHeight, kWidth, channels, 16))
        for (const uint32_t number : row) {
          const uint32_t level = number % (highest + 1);
          file += kind < '4' ? std::to_string(level) + "\n" : big(level, bytes);
        }
      expect_opencvs_pixels(file, kind_of({kind, static_cast<int>(highest)}));
    }
  const auto bits = pixel_rows(kHeight, kWidth, 1, 1);
  expect_opencvs_pixels("P4\n11 5\n" + packed(bits, 1), "bits");
  std::string text = "P1 11 5\n";
  for (const auto& row : bits)
    for (const uint32_t bit : row) text += static_cast<char>('0' + bit);
  expect_opencvs_pixels(text + "\n", "bits as text");
}

TEST_F(Decoders, ReadTiffs) {
  constexpr int kHeight = 21, kWidth = 30;
  constexpr uint64_t kRows = 8, kAcross = 16;
  for (const int orientation : {1, 2, 3, 4, 5, 6, 7, 8})
    for (const bool is_big : {false, true})
      for (const auto& [samples, bits, photometric] : {std::tuple{1, 1, 0},
                                                       {1, 1, 1},
                                                       {1, 8, 0},
                                                       {1, 8, 1},
                                                       {3, 8, 2},
                                                       {4, 8, 2},
                                                       {4, 8, 5},
                                                       {1, 10, 1},
                                                       {3, 12, 2},
                                                       {3, 14, 2},
                                                       {1, 16, 0},
                                                       {1, 16, 1},
                                                       {3, 16, 2},
                                                       {4, 16, 2},
                                                       {2, 8, 1},
                                                       {2, 16, 1}}) {
        const std::string kind = kind_of({orientation, is_big, samples, bits, photometric});
        auto tags = tiff_tags(kHeight, kWidth, static_cast<uint64_t>(samples), static_cast<uint64_t>(bits),
                              static_cast<uint64_t>(photometric), kRows);
        tags.push_back({274, 3, {static_cast<uint64_t>(orientation)}});
        if (photometric < 3 && (samples == 4 || samples == 2)) tags.push_back({338, 3, {bits == 16 ? 2U : 0U}});
        auto rows = pixel_rows(kHeight, kWidth, samples, bits);
        const auto file_bits = [&](const std::vector<std::vector<uint32_t>>& part) {
          std::string bytes = packed(part, bits);
          if (bits == 16)  // numbers of the file's byte order
            for (size_t i = 0; i < bytes.size(); i += 2) std::swap(bytes[i], bytes[i + 1]);
          return bytes;
        };
        std::vector<std::string> strips;
        for (size_t y = 0; y < rows.size(); y += kRows)
          strips.push_back(file_bits({rows.begin() + static_cast<int64_t>(y),
                                      rows.begin() + static_cast<int64_t>(std::min(rows.size(), y + kRows))}));
        expect_opencvs_pixels(tiff_file(tags, strips, false, is_big), kind);
        // Deflated tiles of 16x16.
        tags[3].values = {8};
        tags[6] = {322, 4, {kAcross}};
        tags.push_back({323, 4, {kAcross}});
        std::vector<std::string> tiles;
        for (uint32_t tile = 0; tile < 4; ++tile)
          tiles.push_back(deflated(file_bits(pixel_rows(16, 16, samples, bits, tile))));
        expect_opencvs_pixels(tiff_file(tags, tiles, true, is_big), kind + "tiles");
      }
}

TEST_F(Decoders, ReadTiffsWithPalettesAndSeparatePlanes) {
  auto tags = tiff_tags(6, 10, 1, 8, 3, 6);
  std::vector<uint64_t> colours;
  for (uint64_t i = 0; i < 3 * 256; ++i) colours.push_back(i * 331 % 65536);
  tags.push_back({320, 3, colours});
  expect_opencvs_pixels(tiff_file(tags, {packed(pixel_rows(6, 10, 1, 8), 8)}), "palette");
  auto planes = tiff_tags(6, 10, 3, 8, 2, 6);
  planes.push_back({284, 3, {2}});
  const auto plane = [](uint32_t seed) { return packed(pixel_rows(6, 10, 1, 8, seed), 8); };
  expect_opencvs_pixels(tiff_file(planes, {plane(1), plane(2), plane(3)}), "planes");
}

}  // namespace
}  // namespace detent
