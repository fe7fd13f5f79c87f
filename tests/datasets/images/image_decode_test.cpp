#include "datasets/images/image_decode.h"

#include <gmock/gmock.h>

#include <opencv2/core.hpp>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Error refusal_of_image(const std::filesystem::path& path) {
  return error_of<Error>([&] { static_cast<void>(decode_image(path)); });
}

cv::Mat decoded(const std::filesystem::path& path) { return mat_of(decode_image(path).pixels); }

int largest_difference(const cv::Mat& a, const cv::Mat& b) {
  EXPECT_EQ(a.size(), b.size());
  return static_cast<int>(cv::norm(a, b, cv::NORM_INF));
}

/// Returns a TIFF directory with only an orientation.
std::string tiff_of_orientation(char orientation) {
  std::string tiff("MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19);
  tiff += orientation;
  return tiff + std::string("\0\0\0\0\0\0", 6);
}

/// Returns a JPEG's bytes with that as EXIF segment.
std::string with_orientation(const std::string& jpeg, char orientation) {
  const std::string exif = std::string("Exif\0\0", 6) + tiff_of_orientation(orientation);
  const size_t length = exif.size() + 2;
  std::string segment = "\xff\xe1";
  segment += static_cast<char>(length >> 8);
  segment += static_cast<char>(length & 0xff);
  return jpeg.substr(0, 2) + segment + exif + jpeg.substr(2);
}

TEST(DecodeImage, ReadsLosslessFormatsExactly) {
  const TemporaryFolder folder;
  const cv::Mat image = test_picture(7, 9);
  for (const char* name : {"a.png", "a.bmp", "a.ppm", "a.tif"})
    EXPECT_EQ(largest_difference(decoded(write_image(folder / name, image)), image), 0) << name;
}

TEST(DecodeImage, RepeatsGrayAndDropsAlpha) {
  const TemporaryFolder folder;
  cv::Mat gray(3, 4, CV_8U);
  for (int i = 0; i < 12; ++i) gray.at<unsigned char>(i / 4, i % 4) = static_cast<unsigned char>(20 * i);
  const cv::Mat repeated = decoded(write_image(folder / "g.png", gray));
  ASSERT_EQ(repeated.type(), CV_8UC3);
  for (int i = 0; i < 12; ++i) {
    const auto v = static_cast<unsigned char>(20 * i);
    EXPECT_EQ(repeated.at<cv::Vec3b>(i / 4, i % 4), cv::Vec3b(v, v, v));
  }
  cv::Mat alpha(2, 2, CV_8UC4, cv::Scalar(10, 20, 30, 0));
  EXPECT_EQ(decoded(write_image(folder / "a.png", alpha)).at<cv::Vec3b>(1, 1), cv::Vec3b(10, 20, 30));
}

TEST(DecodeImage, ScalesSixteenBitsToEight) {
  const TemporaryFolder folder;
  cv::Mat deep(1, 5, CV_16UC3);
  const int values[] = {0, 128, 129, 32768, 65535};
  for (int x = 0; x < 5; ++x) deep.at<cv::Vec3w>(0, x) = cv::Vec3w::all(static_cast<uint16_t>(values[x]));
  const cv::Mat image = decoded(write_image(folder / "d.png", deep));
  ASSERT_EQ(image.type(), CV_8UC3);
  for (int x = 0; x < 5; ++x) EXPECT_EQ(image.at<cv::Vec3b>(0, x)[0], (values[x] + 128) / 257) << values[x];
}

std::string little32(size_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i & 0xff);
  return bytes;
}

/// Returns a WebP's bytes with a header that has these flags, and an EXIF chunk behind the pixels.
std::string extended_webp(const std::string& webp, const cv::Size& size, char flags, const std::string& exif) {
  std::string header(1, flags);
  header += std::string(3, '\0') + little32(static_cast<size_t>(size.width - 1)).substr(0, 3) +
            little32(static_cast<size_t>(size.height - 1)).substr(0, 3);
  std::string content = "WEBPVP8X" + little32(header.size()) + header + webp.substr(12);
  content += "EXIF" + little32(exif.size()) + exif + std::string(exif.size() % 2, '\0');
  return "RIFF" + little32(content.size()) + content;
}

/// Returns the bytes of a picture as lossless WebP.
std::string lossless_webp(const cv::Mat& image) {
  std::vector<unsigned char> bytes;
  EXPECT_TRUE(cv::imencode(".webp", image, bytes, {cv::IMWRITE_WEBP_QUALITY, 101}));
  return {bytes.begin(), bytes.end()};
}

TEST(DecodeImage, AppliesTheExifOrientationOfWebP) {
  const TemporaryFolder folder;
  const cv::Mat stored = test_picture(5, 8);
  const std::string webp = lossless_webp(stored);
  constexpr char kHasExif = 0x08;
  for (char orientation = 1; orientation <= 8; ++orientation) {
    cv::Mat upright = stored.clone();
    if (orientation >= 5) cv::transpose(upright, upright);
    if (orientation == 2 || orientation == 6) cv::flip(upright, upright, 1);
    if (orientation == 3 || orientation == 7) cv::flip(upright, upright, -1);
    if (orientation == 4 || orientation == 8) cv::flip(upright, upright, 0);
    for (const std::string& marker : {std::string(), std::string("Exif\0\0", 6)}) {
      const auto file = folder.write(
          "a.webp", extended_webp(webp, stored.size(), kHasExif, marker + tiff_of_orientation(orientation)));
      EXPECT_EQ(largest_difference(decoded(file), upright), 0) << int{orientation};
      EXPECT_EQ(largest_difference(mat_of(decode_image_as_stored(file)), stored), 0) << int{orientation};
    }
  }
  for (const std::string& exif : {tiff_of_orientation(9), std::string("MM"), std::string("II*\0\xff\xff\xff\xff", 8)})
    EXPECT_EQ(
        largest_difference(decoded(folder.write("b.webp", extended_webp(webp, stored.size(), kHasExif, exif))), stored),
        0)
        << "says no orientation";
}

TEST(DecodeImage, SaysThatAWebPIsAnimated) {
  const TemporaryFolder folder;
  const cv::Mat picture = test_picture(5, 8);
  const std::string webp = lossless_webp(picture);
  const auto file = [&](char flags) {
    return folder.write("a.webp", extended_webp(webp, picture.size(), flags, tiff_of_orientation(1)));
  };
  EXPECT_THAT(refusal_of_image(file(0x0a)).what(), HasSubstr("is animated"));
  EXPECT_EQ(largest_difference(decoded(file(0x08)), picture), 0) << "a still image";
}

TEST(DecodeImage, AppliesTheExifOrientation) {
  const TemporaryFolder folder;
  cv::Mat image(16, 32, CV_8UC3, cv::Scalar(0, 0, 0));
  image(cv::Rect(0, 0, 16, 16)).setTo(cv::Scalar(255, 255, 255));  // left half white
  const std::string jpeg = TemporaryFolder::read(write_image(folder / "plain.jpg", image));
  const cv::Mat turned = decoded(folder.write("turned.jpg", with_orientation(jpeg, 6)));  // 90 degrees clockwise
  ASSERT_EQ(turned.rows, 32);
  ASSERT_EQ(turned.cols, 16);
  // Flat 16-pixel blocks change by a few levels in JPEG; 40 separates white from black.
  EXPECT_GT(turned.at<cv::Vec3b>(4, 8)[0], 215) << "the left half comes to the top";
  EXPECT_LT(turned.at<cv::Vec3b>(28, 8)[0], 40);
  EXPECT_EQ(decoded(folder.write("same.jpg", with_orientation(jpeg, 1))).rows, 16);
}

TEST(DecodeImage, DecodesAJpegSmallerWhereThatSufficesAndKeepsItsSize) {
  const TemporaryFolder folder;
  const std::string jpeg = TemporaryFolder::read(write_image(folder / "a.jpg", test_picture(83, 121)));
  const auto turned = folder.write("turned.jpg", with_orientation(jpeg, 6));
  const auto sides = [](const DecodedImage& image) {
    const PixelSize size = image.pixels.size();
    return std::vector{size.height, size.width, image.whole.height, image.whole.width};
  };
  EXPECT_THAT(sides(decode_image(folder / "a.jpg")), ElementsAre(83, 121, 83, 121));
  EXPECT_THAT(sides(decode_image(folder / "a.jpg", 42)), ElementsAre(83, 121, 83, 121)) << "a half is too short";
  EXPECT_THAT(sides(decode_image(folder / "a.jpg", 41)), ElementsAre(42, 61, 83, 121));
  EXPECT_THAT(sides(decode_image(folder / "a.jpg", 10)), ElementsAre(11, 16, 83, 121));
  EXPECT_THAT(sides(decode_image(turned, 20)), ElementsAre(31, 21, 121, 83));
  write_image(folder / "a.png", test_picture(83, 121));
  EXPECT_THAT(sides(decode_image(folder / "a.png", 10)), ElementsAre(83, 121, 83, 121)) << "not a JPEG";
}

TEST(DecodeImage, NamesBadFilesAndPrintsNothing) {
  const TemporaryFolder folder;
  const cv::Mat image = test_picture(64, 64);
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(refusal_of_image(folder.write("empty.jpg", "")).what(), HasSubstr("empty.jpg: the file is empty"));
  EXPECT_THAT(refusal_of_image(folder.write("text.jpg", "this is not an image")).what(), HasSubstr("not an image"));
  EXPECT_THAT(refusal_of_image(folder / "none.png").what(), HasSubstr("cannot be opened"));
  for (const char* name : {"t.jpg", "t.png", "t.bmp", "t.webp", "t.ppm", "t.tif"}) {
    const std::string whole = TemporaryFolder::read(write_image(folder / name, image));
    for (const double share : {.999, .5, .1}) {
      const auto kept = static_cast<size_t>(static_cast<double>(whole.size()) * share);
      const Error error = refusal_of_image(folder.write(name, whole.substr(0, std::min(kept, whole.size() - 1))));
      EXPECT_EQ(error.code(), ErrorCode::InvalidData) << name << " " << share;
      EXPECT_THAT(error.what(), HasSubstr(name));
    }
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(DecodeImage, NoticesADamagedPng) {
  const TemporaryFolder folder;
  std::string bytes = TemporaryFolder::read(write_image(folder / "a.png", test_picture(32, 32)));
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_THAT(refusal_of_image(folder.write("a.png", bytes)).what(), HasSubstr("checksum"));
}

TEST(DecodeImage, AcceptsBytesBehindTheEndAndThumbnailsInside) {
  const TemporaryFolder folder;
  const cv::Mat image = test_picture(16, 16);
  const std::string jpeg = TemporaryFolder::read(write_image(folder / "a.jpg", image));
  EXPECT_EQ(decoded(folder.write("b.jpg", jpeg + "trailing bytes")).rows, 16);
  // A thumbnail is a whole JPEG inside a segment: its end marker is not that of the image.
  std::string segment = "\xff\xe5";
  segment += static_cast<char>((jpeg.size() + 2) >> 8);
  segment += static_cast<char>((jpeg.size() + 2) & 0xff);
  const std::string nested = jpeg.substr(0, 2) + segment + jpeg + jpeg.substr(2);
  EXPECT_EQ(decoded(folder.write("c.jpg", nested)).rows, 16);
  EXPECT_EQ(refusal_of_image(folder.write("c.jpg", nested.substr(0, nested.size() - 20))).code(),
            ErrorCode::InvalidData);
}

TEST(DecodeImage, RefusesFloatPixels) {
  const TemporaryFolder folder;
  EXPECT_THAT(refusal_of_image(write_image(folder / "f.tif", cv::Mat(4, 4, CV_32FC3, cv::Scalar::all(.5)))).what(),
              HasSubstr(".npy"));
}

}  // namespace
}  // namespace detent
