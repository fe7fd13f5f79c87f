#include "ops/node_runner.h"

namespace detent {
namespace {

using test::int64s;
using test::integers;
using test::run_one;

TEST(RoiAlign, AveragesARegionOfAFlatPicture) {
  // value = column: the mean over a bin is the bin's middle column, less the half pixel.
  Tensor picture(DataType::Float32, {1, 1, 8, 8});
  for (size_t i = 0; i < 64; ++i) picture.mutable_data<float>()[i] = static_cast<float>(i % 8);
  const Tensor roi = Tensor::from<float>({1, 4}, {2, 2, 6, 6});
  const std::string attributes = "output_height = 2, output_width = 2, sampling_ratio = 2";
  EXPECT_THAT(
      test::values(run_one("y = RoiAlign<" + attributes + ">(a, b, c)", {picture, roi, int64s({0})}, {.opset = 16})),
      testing::ElementsAre(2.5F, 4.5F, 2.5F, 4.5F));
  EXPECT_THAT(
      test::values(run_one("y = RoiAlign<" + attributes + ">(a, b, c)", {picture, roi, int64s({0})}, {.opset = 10})),
      testing::ElementsAre(3, 5, 3, 5));
}

TEST(RoiAlign, TakesEachRegionFromItsOwnPicture) {
  Tensor pictures(DataType::Float32, {2, 1, 4, 4});
  for (size_t i = 0; i < 32; ++i) pictures.mutable_data<float>()[i] = i < 16 ? 1.0F : 5.0F;
  const Tensor rois = Tensor::from<float>({2, 4}, {0, 0, 2, 2, 1, 1, 3, 3});
  EXPECT_THAT(test::values(run_one("y = RoiAlign(a, b, c)", {pictures, rois, int64s({1, 0})}, {.opset = 16})),
              testing::ElementsAre(5, 1));
  EXPECT_THROW(run_one("y = RoiAlign(a, b, c)", {pictures, rois, int64s({1, 2})}, {.opset = 16}), Error);
  EXPECT_THROW(run_one("y = RoiAlign(a, b, c)", {pictures, rois, int64s({1})}, {.opset = 16}), Error);
}

TEST(RoiAlign, APictureOfNoPixelsIsAnError) {
  const Tensor roi = Tensor::from<float>({1, 4}, {0, 0, 2, 2});
  for (const Shape& shape : {Shape{1, 1, 0, 4}, Shape{1, 1, 4, 0}})
    EXPECT_THROW(run_one("y = RoiAlign(a, b, c)", {Tensor(DataType::Float32, shape), roi, int64s({0})}, {.opset = 16}),
                 Error);
}

class NonMaxSuppression : public testing::Test {
 protected:
  // Three boxes: the second covers 90 % of the first, the third lies apart.
  Tensor boxes = Tensor::from<float>({1, 3, 4}, {0, 0, 1, 1, 0, 0, 1, 0.9F, 0, 2, 1, 3});
  Tensor scores = Tensor::from<float>({1, 1, 3}, {0.5F, 0.9F, 0.1F});

  std::vector<int64_t> run(int64_t limit, float overlap, float score) {
    return integers(run_one(
        "y = NonMaxSuppression(a, b, c, d, e)",
        {boxes, scores, int64s({limit}), Tensor::from<float>({1}, {overlap}), Tensor::from<float>({1}, {score})}));
  }
};

TEST_F(NonMaxSuppression, KeepsTheBestOfWhatOverlaps) {
  EXPECT_THAT(run(10, 0.5F, 0), testing::ElementsAre(0, 0, 1, 0, 0, 2));
}
TEST_F(NonMaxSuppression, KeepsBothWhenTheyMayOverlapThatMuch) {
  EXPECT_THAT(run(10, 0.95F, 0), testing::ElementsAre(0, 0, 1, 0, 0, 0, 0, 0, 2));
}
TEST_F(NonMaxSuppression, DropsLowScores) { EXPECT_THAT(run(10, 0.5F, 0.4F), testing::ElementsAre(0, 0, 1)); }
TEST_F(NonMaxSuppression, StopsAtTheLimit) {
  EXPECT_THAT(run(1, 0.5F, 0), testing::ElementsAre(0, 0, 1));
  EXPECT_TRUE(run(0, 0.5F, 0).empty());
}
TEST_F(NonMaxSuppression, TakesCornersInAnyOrder) {
  boxes = Tensor::from<float>({1, 3, 4}, {1, 1, 0, 0, 0, 0.9F, 1, 0, 1, 2, 0, 3});
  EXPECT_THAT(run(10, 0.5F, 0), testing::ElementsAre(0, 0, 1, 0, 0, 2));
}
TEST_F(NonMaxSuppression, RefusesScoresOfAnotherNumberOfBoxes) {
  scores = Tensor::from<float>({1, 1, 2}, {0.5F, 0.9F});
  EXPECT_THROW(run(10, 0.5F, 0), Error);
}

TEST(MaxRoiPool, TakesTheLargestOfWholeElementsCornersIncluded) {
  // 1x1x4x4 image 0..15. Region (0, 0)-(2, 2) after scaling by 0.5: 3x3 elements in 2x2 bins that share row and
  // column 1.
  Tensor image(DataType::Float32, {1, 1, 4, 4});
  for (int i = 0; i < 16; ++i) image.mutable_data<float>()[static_cast<size_t>(i)] = static_cast<float>(i);
  const std::string node = "y = MaxRoiPool<pooled_shape = [2, 2], spatial_scale = 0.5>(a, b)";
  const Tensor region = Tensor::from<float>({2, 5}, {0, 0, 0, 4, 4, 0, 4, 4, 12, 12});
  // The second region reaches over the edge: rows and columns 2..6 in bins 2..4 and 4..6, the latter outside.
  const Tensor y = run_one(node, {image, region});
  EXPECT_EQ(y.shape(), (Shape{2, 1, 2, 2}));
  EXPECT_THAT(test::values(y), testing::ElementsAre(5, 6, 9, 10, 15, 0, 0, 0));
  EXPECT_EQ(run_one(node, {cast(image, DataType::Float64), cast(region, DataType::Float64)}).type(), DataType::Float64);
  EXPECT_THROW(run_one(node, {image, Tensor::from<float>({1, 5}, {1, 0, 0, 4, 4})}), Error);
}

}  // namespace
}  // namespace detent
