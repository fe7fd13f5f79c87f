#include "datasets/images/masks.h"

#include <gmock/gmock.h>

#include "datasets/data_files.h"

namespace detent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Masks, HoldThePixelsAsTheyAre) {
  const TemporaryFolder folder;
  const ClassMask mask = read_mask(folder.write("a.pgm", std::string("P5\n3 2\n255\n\x00\x01\x02\x03\xfe\xff", 17)));
  EXPECT_EQ(mask.height, 2);
  EXPECT_EQ(mask.width, 3);
  EXPECT_THAT(mask.classes, ElementsAre(0, 1, 2, 3, 254, 255));
}

TEST(Masks, KeepSixteenBits) {
  const TemporaryFolder folder;
  cv::Mat wide(1, 2, CV_16U);
  wide.at<uint16_t>(0, 0) = 3;
  wide.at<uint16_t>(0, 1) = 1000;
  EXPECT_THAT(read_mask(write_image(folder / "a.png", wide)).classes, ElementsAre(3, 1000));
}

TEST(Masks, TakeThreeEqualChannelsAsOneButRefuseColours) {
  const TemporaryFolder folder;
  cv::Mat image(1, 2, CV_8UC3, cv::Scalar(2, 2, 2));
  EXPECT_THAT(read_mask(write_image(folder / "gray.png", image)).classes, ElementsAre(2, 2));
  image.at<cv::Vec3b>(0, 1) = {0, 0, 128};
  const auto path = write_image(folder / "colours.png", image);
  const Error error = error_of<Error>([&] { static_cast<void>(read_mask(path)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  EXPECT_THAT(error.what(), HasSubstr("colours.png"));
}

TEST(Masks, AreFoundByTheImagesNameInALosslessFormat) {
  const TemporaryFolder folder;
  const cv::Mat image(1, 1, CV_8U, cv::Scalar(1));
  write_image(folder / "a.png", image);
  write_image(folder / "sub" / "b.png", image);
  folder.write("c.jpg", "a photograph");
  EXPECT_EQ(find_mask(folder.path(), "a.png"), folder / "a.png");
  EXPECT_EQ(find_mask(folder.path(), "a.jpg"), folder / "a.png");
  EXPECT_EQ(find_mask(folder.path(), "sub/b.JPEG"), folder / "sub/b.png");
  EXPECT_EQ(find_mask(folder.path(), "sub/a.jpg"), folder / "a.png");  // masks in one folder for images in several
  EXPECT_EQ(find_mask(folder.path(), "c.jpg"), std::nullopt);
}

TEST(Masks, AreNeverTheImageItself) {
  const TemporaryFolder folder;
  const cv::Mat image(1, 1, CV_8U, cv::Scalar(1));
  const auto mask = write_image(folder / "masks" / "a.png", image);
  const auto picture = write_image(folder / "images" / "a.png", image);
  EXPECT_EQ(find_mask(folder / "masks", picture.string()), mask);
  EXPECT_EQ(find_mask(folder / "masks", "../images/a.png"), mask);
}

}  // namespace
}  // namespace detent
