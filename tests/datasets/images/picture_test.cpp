// Tests pictures of samples: the preprocessing undone, arrays stretched, frames, and files.
#include "datasets/images/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <opencv2/imgcodecs.hpp>

#include "datasets/data_files.h"
#include "datasets/images/image_transform.h"

namespace detent {
namespace {

Pixels picture_after(const std::string& preprocess, const cv::Mat& image, std::vector<int64_t> shape) {
  const PreprocessSpec spec = parse_preprocess(preprocess);
  const Tensor input = ImageTransform(spec, float_input("image", std::move(shape))).apply(whole(image));
  return picture_of(std::vector{input}, spec);
}

bool same(const cv::Mat& a, const cv::Mat& b) {
  return a.size() == b.size() && a.type() == b.type() && cv::norm(a, b, cv::NORM_INF) == 0;
}

TEST(PictureOf, UndoesEveryPreprocessing) {
  const cv::Mat image = test_picture(8, 9);
  for (const char* spec : {"unit", "raw", "raw,color=bgr", "raw,mean=127,std=128",
                           "resize=8x9,color=rgb,div=255,mean=.485/.456/.406,std=.229/.224/.225"})
    EXPECT_TRUE(same(mat_of(picture_after(spec, image, {1, 3, 8, 9})), image)) << spec;
  EXPECT_TRUE(same(mat_of(picture_after("unit,layout=nhwc", image, {1, 8, 9, 3})), image)) << "channels last";
}

TEST(PictureOf, KeepsTheBarsOfALetterbox) {
  const cv::Mat found = mat_of(picture_after("yolox", test_picture(4, 8), {1, 3, 8, 8}));
  EXPECT_EQ(found.at<cv::Vec3b>(7, 3), cv::Vec3b(114, 114, 114)) << "below the image";
  EXPECT_TRUE(same(found(cv::Rect(0, 0, 8, 4)), test_picture(4, 8)));
}

TEST(PictureOf, ShowsOneChannelInGray) {
  const cv::Vec3b pixel =
      mat_of(picture_after("raw,color=gray", cv::Mat(6, 6, CV_8UC3, {90, 90, 90}), {1, 1, 6, 6})).at<cv::Vec3b>(2, 2);
  EXPECT_EQ(pixel, cv::Vec3b(90, 90, 90));
}

TEST(PictureOf, StretchesArraysOverAllLevels) {
  const Tensor array = Tensor::from<float>({1, 3, 1, 2}, std::vector<float>{-1, 3, 1, 1, 1, -1});
  const cv::Mat picture = mat_of(picture_of(std::vector{array}, std::nullopt));
  EXPECT_EQ(picture.at<cv::Vec3b>(0, 0), cv::Vec3b(128, 128, 0)) << "blue, green, red of 1, 1, -1 in -1..3";
  EXPECT_EQ(picture.at<cv::Vec3b>(0, 1), cv::Vec3b(0, 128, 255));
}

TEST(PictureOf, TakesValuesThatAreEqualOrNotFiniteForBlack) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor equal = Tensor::from<float>({1, 1, 1, 2}, std::vector<float>{7, 7});
  EXPECT_EQ(mat_of(picture_of(std::vector{equal}, std::nullopt)).at<cv::Vec3b>(0, 1), cv::Vec3b(0, 0, 0));
  const Tensor broken = Tensor::from<float>({1, 1, 1, 3}, std::vector<float>{nan, 0, 1});
  EXPECT_EQ(mat_of(picture_of(std::vector{broken}, std::nullopt)).at<cv::Vec3b>(0, 0), cv::Vec3b(0, 0, 0));
}

TEST(PictureOf, TakesTheFirstInputOfFourAxes) {
  const std::vector<Tensor> inputs{Tensor(DataType::Float32, {1, 2}), Tensor(DataType::Float32, {1, 3, 5, 6})};
  EXPECT_EQ(picture_of(inputs, std::nullopt).size(), (PixelSize{5, 6}));
  EXPECT_TRUE(picture_of(std::span(inputs).first(1), std::nullopt).empty()) << "no image";
}

TEST(DrawBoxes, FramesInTheirColourAndKeepsTheRest) {
  const cv::Mat image(40, 60, CV_8UC3, {9, 9, 9});
  const Pixels given = pixels_of(image);
  const cv::Mat drawn = mat_of(draw_boxes(given, std::vector<DrawnBox>{{10, 12, 30, 32, "", {1, 2, 3}}}));
  EXPECT_EQ(drawn.at<cv::Vec3b>(12, 20), cv::Vec3b(1, 2, 3)) << "the upper edge";
  EXPECT_EQ(drawn.at<cv::Vec3b>(20, 10), cv::Vec3b(1, 2, 3)) << "the left edge";
  EXPECT_EQ(drawn.at<cv::Vec3b>(20, 20), cv::Vec3b(9, 9, 9)) << "inside";
  EXPECT_TRUE(same(mat_of(given), image)) << "the pixels that were given stay";
}

TEST(DrawBoxes, CutsFramesAndTextsAtTheEdges) {
  const Pixels image = pixels_of(cv::Mat(40, 60, CV_8UC3, {9, 9, 9}));
  const float far = 1e30F, nan = std::numeric_limits<float>::quiet_NaN();
  const cv::Mat drawn = mat_of(draw_boxes(image, std::vector<DrawnBox>{{-far, 20, far, far, "3 0.90", {1, 2, 3}}}));
  EXPECT_EQ(drawn.at<cv::Vec3b>(20, 59), cv::Vec3b(1, 2, 3));
  EXPECT_TRUE(
      same(mat_of(draw_boxes(image, std::vector<DrawnBox>{{nan, 0, 9, 9, "3 0.90", {1, 2, 3}}})), mat_of(image)))
      << "an edge that is no number";
}

TEST(Encode, GivesFilesThatHoldThePixels) {
  const cv::Mat image = test_picture(16, 20);
  const std::string png = encode_png(pixels_of(image)), jpeg = encode_jpeg(pixels_of(image));
  const std::vector<char> bytes(png.begin(), png.end());
  EXPECT_TRUE(same(cv::imdecode(bytes, cv::IMREAD_COLOR), image));
  EXPECT_EQ(jpeg.substr(0, 2), "\xFF\xD8");
}

TEST(Shrink, KeepsTheProportionsOfWidePicturesAlone) {
  const Pixels image = pixels_of(test_picture(30, 80));
  EXPECT_EQ(shrink(image, 40).size(), (PixelSize{15, 40}));
  EXPECT_EQ(shrink(image, 80).size(), (PixelSize{30, 80}));
  EXPECT_EQ(shrink(image, 200).size(), (PixelSize{30, 80})) << "never enlarged";
}

}  // namespace
}  // namespace detent
