#include "datasets/images/image_transform.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/memory_limit.h"
#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::HasSubstr;

Tensor transformed(const std::string& spec, const cv::Mat& bgr, std::vector<int64_t> shape = {-1, 3, -1, -1}) {
  return ImageTransform(parse_preprocess(spec), float_input("image", std::move(shape))).apply(whole(bgr));
}

/// Interpolates bilinearly with pixel centres at half, in double: the numbers that OpenCV's INTER_LINEAR rounds to 8
/// bits.
double bilinear(const cv::Mat& image, int channel, int y, int x, int height, int width) {
  const auto at = [](int i, int out, int in) { return std::clamp((i + 0.5) * in / out - 0.5, 0.0, in - 1.0); };
  const double v = at(y, height, image.rows);
  const double u = at(x, width, image.cols);
  const int y0 = static_cast<int>(v);
  const int x0 = static_cast<int>(u);
  const int y1 = std::min(y0 + 1, image.rows - 1);
  const int x1 = std::min(x0 + 1, image.cols - 1);
  const auto pixel = [&](int row, int column) {
    return static_cast<double>(image.at<cv::Vec3b>(row, column)[channel]);
  };
  const double top = pixel(y0, x0) + (pixel(y0, x1) - pixel(y0, x0)) * (u - x0);
  const double bottom = pixel(y1, x0) + (pixel(y1, x1) - pixel(y1, x0)) * (u - x0);
  return top + (bottom - top) * (v - y0);
}

// Tolerance: two roundings of 11-bit weights (255 / 2048 each) and one to 8 bits (0.5) stay below one level.
constexpr double kOneLevel = 1.0;

TEST(ImageTransform, ReordersAndNormalisesWithoutResizing) {
  const cv::Mat image = test_picture(4, 5);
  const Tensor tensor = transformed("resize=4x5,color=rgb,div=255,mean=.4/.5/.6,std=.2/.3/.4", image);
  ASSERT_EQ(tensor.shape(), (Shape{1, 3, 4, 5}));
  const float mean[] = {.4F, .5F, .6F};
  const float std[] = {.2F, .3F, .4F};
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 5; ++x) {
        const float pixel = image.at<cv::Vec3b>(y, x)[2 - c];
        // The same three float operations in the same order: equal to the bit.
        EXPECT_EQ(tensor.data<float>()[static_cast<size_t>((c * 4 + y) * 5 + x)], (pixel / 255.0F - mean[c]) / std[c]);
      }
}

TEST(ImageTransform, KeepsBgrAndWritesChannelsLast) {
  const cv::Mat image = test_picture(3, 2);
  const Tensor tensor = transformed("resize=3x2,color=bgr,layout=nhwc", image, {-1, 3, 2, 3});
  ASSERT_EQ(tensor.shape(), (Shape{1, 3, 2, 3}));
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 2; ++x)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(tensor.data<float>()[static_cast<size_t>((y * 2 + x) * 3 + c)], image.at<cv::Vec3b>(y, x)[c]);
}

TEST(ImageTransform, MakesGrayByLuma) {
  const cv::Mat image = test_picture(6, 6);
  const Tensor tensor = transformed("resize=6x6,color=gray", image, {1, 1, 6, 6});
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 6; ++x) {
      const cv::Vec3b p = image.at<cv::Vec3b>(y, x);
      // Tolerance: BT.601 weights in 15-bit fixed point, then one rounding: half a level and 3 * 255 / 2^16.
      EXPECT_NEAR(tensor.data<float>()[static_cast<size_t>(y * 6 + x)], .114 * p[0] + .587 * p[1] + .299 * p[2], .52);
    }
}

TEST(ImageTransform, ResizesShortSideAndCropsTheCentre) {
  const cv::Mat image = test_picture(30, 51);
  const Tensor tensor = transformed("resize=16,crop=8x11,color=bgr", image);
  ASSERT_EQ(tensor.shape(), (Shape{1, 3, 8, 11}));
  const int width = 27;  // 51 * 16 / 30 = 27.2
  const int top = (16 - 8) / 2;
  const int left = (width - 11) / 2;
  for (int c = 0; c < 3; ++c)
    for (int y = 0; y < 8; ++y)
      for (int x = 0; x < 11; ++x)
        EXPECT_NEAR(tensor.data<float>()[static_cast<size_t>((c * 8 + y) * 11 + x)],
                    bilinear(image, c, y + top, x + left, 16, width), kOneLevel);
}

TEST(ImageTransform, LetterboxesTopLeftAndCentred) {
  const cv::Mat image = test_picture(10, 21);
  // r = min(16/10, 16/21) = .7619; 10 r = 7.619 is cut to 7 in a corner and rounded to 8 in the middle.
  for (const bool centred : {false, true}) {
    const int height = centred ? 8 : 7, top = (16 - height) / 2;
    const Tensor tensor = transformed(centred ? "yolo,div=1,color=bgr" : "yolox", image, {1, 3, 16, 16});
    for (int c = 0; c < 3; ++c)
      for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x) {
          const int row = centred ? y - top : y;
          const float got = tensor.data<float>()[static_cast<size_t>((c * 16 + y) * 16 + x)];
          if (row < 0 || row >= height) {
            EXPECT_EQ(got, 114);
          } else {
            EXPECT_NEAR(got, bilinear(image, c, row, x, height, 16), kOneLevel) << y << " " << x;
          }
        }
  }
}

TEST(ImageTransform, RoundsTheLongSideHalfToEven) {
  constexpr auto kEven = SideRounding::HalfToEven;
  EXPECT_EQ(short_side_size({100, 100}, 64, kEven), (PixelSize{64, 64}));
  EXPECT_EQ(short_side_size({4, 5}, 2, kEven), (PixelSize{2, 2})) << "2.5 to even";
  EXPECT_EQ(short_side_size({4, 7}, 2, kEven), (PixelSize{2, 4})) << "3.5 to even";
  EXPECT_EQ(short_side_size({7, 4}, 2, kEven), (PixelSize{4, 2}));
  EXPECT_EQ(short_side_size({375, 500}, 256, kEven), (PixelSize{256, 341})) << "341.33";
  EXPECT_EQ(short_side_size({1000, 1001}, 3, kEven), (PixelSize{3, 3})) << "at least the short side";
}

TEST(ImageTransform, CutsTheLongSideAndRoundsTheCropAsTorchvisionDoes) {
  EXPECT_EQ(short_side_size({4, 7}, 2, SideRounding::Down), (PixelSize{2, 3})) << "3.5";
  EXPECT_EQ(short_side_size({500, 299}, 256, SideRounding::Down), (PixelSize{428, 256})) << "428.09";
  EXPECT_EQ(centre_offset({256, 385}, {224, 224}, SideRounding::HalfToEven), (PixelSize{16, 80})) << "80.5 to even";
  EXPECT_EQ(centre_offset({256, 387}, {224, 224}, SideRounding::HalfToEven), (PixelSize{16, 82})) << "81.5 to even";
  EXPECT_EQ(centre_offset({256, 387}, {224, 224}, SideRounding::Down), (PixelSize{16, 81}));
}

TEST(ImageTransform, PlacesACropAtTheSamePixelsAsItCuts) {
  const cv::Mat image = test_picture(8, 11);
  for (const char* spec : {"crop=8x8,interp=pil-bilinear", "crop=8x8,interp=linear"}) {
    const int left = static_cast<int>(-placement_of(parse_preprocess(spec), {8, 11}, {8, 8}).left);
    const Tensor tensor = transformed(spec, image);
    for (int x = 0; x < 8; ++x)
      EXPECT_EQ(tensor.data<float>()[static_cast<size_t>(x)], image.at<cv::Vec3b>(0, x + left)[2]) << spec;
  }
}

TEST(ImageTransform, CutsLetterboxSidesAsYoloxDoesAndRoundsThemAsUltralyticsDoes) {
  constexpr auto kDown = SideRounding::Down, kEven = SideRounding::HalfToEven;
  EXPECT_EQ(letterboxed_size({10, 21}, {16, 16}, kDown), (PixelSize{7, 16})) << "7.62";
  EXPECT_EQ(letterboxed_size({10, 21}, {16, 16}, kEven), (PixelSize{8, 16}));
  EXPECT_EQ(letterboxed_size({10, 10}, {40, 20}, kDown), (PixelSize{20, 20}));
  EXPECT_EQ(letterboxed_size({3, 1000}, {16, 16}, kDown), (PixelSize{1, 16})) << "never empty";
}

// Only Pillow's filters look at every pixel: others would take other pixels of a smaller image.
TEST(ImageTransform, TakesSmallerImagesForPillowsFiltersOnly) {
  const auto side = [](const char* spec) {
    return ImageTransform(parse_preprocess(spec), float_input("image", {1, 3, -1, -1})).sufficient_side();
  };
  EXPECT_EQ(side("imagenet"), 5 * 256);
  EXPECT_EQ(side("timm,resize=20x30,crop=20"), 5 * 30);
  EXPECT_EQ(side("imagenet-opencv"), std::nullopt);
  EXPECT_EQ(side("raw,crop=8,interp=pil-bilinear"), std::nullopt) << "nothing is resized";
}

TEST(ImageTransform, UsesTheModelsSizeWhenNoneIsGiven) {
  EXPECT_EQ(transformed("unit", test_picture(9, 9), {-1, 3, 12, 10}).shape(), (Shape{1, 3, 12, 10}));
  EXPECT_EQ(transformed("yolo", test_picture(9, 9), {-1, 3, 12, 10}).shape(), (Shape{1, 3, 12, 10}));
}

TEST(ImageTransform, CastsToTheInputsType) {
  const ImageTransform transform(parse_preprocess("raw"), {"image", DataType::UInt8, {1, 3, 2, 2}});
  const cv::Mat image = test_picture(2, 2);
  const Tensor tensor = transform.apply(whole(image));
  ASSERT_EQ(tensor.type(), DataType::UInt8);
  EXPECT_EQ(tensor.data<uint8_t>()[0], image.at<cv::Vec3b>(0, 0)[2]);
}

ErrorCode code_of(const std::string& spec, std::vector<int64_t> shape, int height = 20, int width = 30) {
  return error_of<Error>([&] { static_cast<void>(transformed(spec, test_picture(height, width), std::move(shape))); })
      .code();
}

TEST(ImageTransform, NeedsASizeForAnOpenModel) {
  for (const char* spec : {"unit", "raw", "yolo", "yolox"})
    EXPECT_EQ(code_of(spec, {-1, 3, -1, -1}), ErrorCode::InvalidOption);
  EXPECT_EQ(code_of("unit", {-1, 3, 32, -1}), ErrorCode::InvalidOption);
  EXPECT_EQ(transformed("unit,resize=16x24", test_picture(5, 5)).shape(), (Shape{1, 3, 16, 24}));
  EXPECT_EQ(transformed("unit,resize=16", test_picture(20, 30)).shape(), (Shape{1, 3, 16, 24}))
      << "varies with the image";
}

TEST(ImageTransform, RefusesWhatDisagreesWithTheModel) {
  EXPECT_EQ(code_of("imagenet", {1, 3, 299, 299}), ErrorCode::InvalidData);
  EXPECT_EQ(code_of("unit,resize=16x16", {1, 3, 16, 32}), ErrorCode::InvalidData);
  EXPECT_EQ(code_of("yolo,letterbox=32x32:114:center", {1, 3, 64, 64}), ErrorCode::InvalidData);
  EXPECT_EQ(code_of("unit,resize=20", {1, 3, 16, 16}), ErrorCode::InvalidData) << "short side alone";
  EXPECT_EQ(code_of("unit,resize=16", {1, 3, 16, 16}), ErrorCode::InvalidData) << "this image is not square";
  EXPECT_EQ(code_of("unit,crop=24", {1, 3, 24, 24}), ErrorCode::InvalidData) << "larger than the image";
  EXPECT_EQ(code_of("unit,resize=8x8,crop=9", {1, 3, 9, 9}), ErrorCode::InvalidOption);
  EXPECT_EQ(code_of("unit", {1, 3}), ErrorCode::InvalidData);
}

TEST(ImageTransform, RefusesSizesBeyondTheMemoryLimit) {
  set_memory_limit(uint64_t{64} << 20);
  for (const char* spec : {"unit,letterbox=8031x22455:114:center", "unit,resize=60000x60000", "unit,resize=60000"})
    EXPECT_EQ(code_of(spec, {-1, 3, -1, -1}, 1, 30), ErrorCode::InvalidData) << spec;
  EXPECT_EQ(transformed("unit,letterbox=80x224:114:center", test_picture(1, 30)).shape(), (Shape{1, 3, 80, 224}));
  set_memory_limit(0);
}

TEST(ImageTransform, SaysHowToMendChannels) {
  const auto hint = [](const std::string& spec, std::vector<int64_t> shape) {
    return error_of<Error>([&] { static_cast<void>(transformed(spec, test_picture(4, 4), std::move(shape))); }).hint();
  };
  EXPECT_THAT(hint("unit", {1, 4, 4, 3}), HasSubstr("layout=nhwc"));
  EXPECT_THAT(hint("unit", {1, 1, 4, 4}), HasSubstr("color=gray"));
  EXPECT_THAT(hint("unit,color=gray", {1, 3, 4, 4}), HasSubstr("color=rgb"));
  EXPECT_THAT(hint("unit", {1, 4, 4, 4}), HasSubstr(".npy"));
}

// A point of a 40 x 20 image (width x height) in a network of 32 x 32.
std::pair<double, double> placed(const char* spec, double x, double y) {
  const ImagePlacement at = placement_of(parse_preprocess(spec), {20, 40}, {32, 32});
  return {x * at.scale_x + at.left, y * at.scale_y + at.top};
}

TEST(PlacementOf, SaysWherePixelsOfTheImageLie) {
  using Point = std::pair<double, double>;
  EXPECT_EQ(placed("unit", 40, 20), (Point{32, 32})) << "stretched";
  EXPECT_EQ(placed("yolox", 40, 20), (Point{32, 16})) << "letterbox, top left";
  EXPECT_EQ(placed("yolo", 40, 20), (Point{32, 24})) << "letterbox, centred: 8 rows above";
  EXPECT_EQ(placed("unit,resize=32,crop=32", 20, 10), (Point{16, 16})) << "the centre stays the centre";
  EXPECT_EQ(placed("unit,resize=32,crop=32", 0, 0), (Point{-16, 0})) << "cut off";
  EXPECT_EQ(placed("unit,resize=64x80,crop=32", 0, 0), (Point{-24, -16}));
}

}  // namespace
}  // namespace detent
