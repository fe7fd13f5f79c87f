#include "datasets/images/antialiased_resize.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

/// One channel, (37 x + 11 y) mod 256.
cv::Mat ramp(int height, int width) {
  cv::Mat image(height, width, CV_8UC1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at<uint8_t>(y, x) = static_cast<uint8_t>((x * 37 + y * 11) % 256);
  return image;
}

std::vector<int> bytes_of(const Pixels& pixels) {
  const cv::Mat mat = mat_of(pixels);
  return {mat.begin<uint8_t>(), mat.end<uint8_t>()};
}

// Expected bytes: Pillow 9.4.0, Image.fromarray(ramp).resize((width, height), BILINEAR or BICUBIC).
TEST(AntialiasedResize, MakesPillowsBytesOfASmallerImage) {
  const Pixels image = pixels_of(ramp(9, 13));
  EXPECT_THAT(bytes_of(antialiased_resize(image, {3, 5}, ResizeKernel::Bilinear)),
              ElementsAre(53, 138, 156, 78, 163, 83, 168, 122, 108, 193, 113, 175, 84, 138, 175));
  EXPECT_THAT(bytes_of(antialiased_resize(image, {3, 5}, ResizeKernel::Bicubic)),
              ElementsAre(44, 145, 159, 67, 168, 76, 178, 124, 99, 202, 111, 184, 73, 140, 178));
}

TEST(AntialiasedResize, MakesPillowsBytesOfALargerImage) {
  const Pixels image = pixels_of(ramp(2, 3));
  EXPECT_THAT(bytes_of(antialiased_resize(image, {3, 6}, ResizeKernel::Bilinear)),
              ElementsAre(0, 9, 28, 46, 65, 74, 6, 15, 34, 52, 71, 80, 11, 20, 39, 57, 76, 85));
  EXPECT_THAT(bytes_of(antialiased_resize(image, {3, 6}, ResizeKernel::Bicubic)),
              ElementsAre(0, 5, 25, 47, 67, 76, 4, 12, 32, 54, 74, 83, 9, 18, 38, 60, 80, 89));
}

TEST(AntialiasedResize, TreatsChannelsAlike) {
  const cv::Mat image = test_picture(20, 31);
  const cv::Mat together = mat_of(antialiased_resize(pixels_of(image), {7, 9}, ResizeKernel::Bicubic));
  std::vector<cv::Mat> parts, results;
  cv::split(image, parts);
  cv::split(together, results);
  for (size_t c = 0; c < 3; ++c)
    EXPECT_EQ(bytes_of(pixels_of(results[c])),
              bytes_of(antialiased_resize(pixels_of(parts[c]), {7, 9}, ResizeKernel::Bicubic)));
}

// Without antialiasing, as OpenCV resizes, one of 16 pixels would decide and stripes would come out black or white.
// Tolerance: an edge cuts the triangle of area 16 at half its height, which leaves 14: the pixel there has a share of
// 1/28, a quarter of it tips the stripes by 255 / 112 = 2.3, and two roundings follow.
TEST(AntialiasedResize, CountsEveryPixelOfTheImage) {
  cv::Mat stripes(64, 64, CV_8UC1);
  for (int x = 0; x < 64; ++x) stripes.col(x) = x % 2 == 0 ? 0 : 255;
  for (const ResizeKernel kernel : {ResizeKernel::Bilinear, ResizeKernel::Bicubic})
    for (const int byte : bytes_of(antialiased_resize(pixels_of(stripes), {4, 4}, kernel)))
      EXPECT_NEAR(byte, 127.5, 3.3);
}

TEST(AntialiasedResize, KeepsAnImageOfTheSameSize) {
  const cv::Mat image = test_picture(5, 6);
  const Pixels same = antialiased_resize(pixels_of(image), {5, 6}, ResizeKernel::Bicubic);
  EXPECT_EQ(cv::norm(mat_of(same), image, cv::NORM_INF), 0);
}

TEST(AntialiasedResize, TakesSidesOfOnePixel) {
  const Pixels dot = pixels_of(ramp(1, 1));
  EXPECT_THAT(bytes_of(antialiased_resize(dot, {2, 2}, ResizeKernel::Bilinear)), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(bytes_of(antialiased_resize(pixels_of(ramp(1, 3)), {1, 1}, ResizeKernel::Bilinear)), ElementsAre(37));
}

}  // namespace
}  // namespace detent
