#include "ops/node_runner.h"

namespace detent {
namespace {

using test::run_one;

TEST(Resize, StretchesTheFilterWhenItShrinksWithAntialias) {
  // Four samples 0, 1, 2, 3 at scale 0.6: outputs lie at (o + 0.5) / 0.6 - 0.5 = 1/3 and 2, under triangles 1 / 0.6
  // wide. At 1/3 the samples -1, 0, 1 weigh 0.2, 0.8, 0.6; sample -1 is the edge again (0) or does not count.
  const Tensor x = Tensor::from<float>({4}, {0, 1, 2, 3}), scale = Tensor::from<float>({1}, {0.6F});
  const auto resized = [&](const std::string& attributes) {
    return run_one("y = Resize<mode = \"linear\", antialias = 1" + attributes + ">(a, , c)", {x, {}, scale}, {19});
  };
  test::expect_close(resized(""), {2}, {0.6 / 1.6, 2}, 1e-6, 0);  // a few roundings
  test::expect_close(resized(", exclude_outside = 1"), {2}, {0.6 / 1.4, 2}, 1e-6, 0);
}

TEST(Resize, RoundsIntegersToTheNearestInRange) {
  const auto doubled = [](const std::string& mode, const Tensor& x) {
    return test::integers(
        run_one("y = Resize<mode = \"" + mode + "\">(a, , c)", {x, {}, Tensor::from<float>({1}, {2})}, {19}));
  };
  // 10, 10.75, 12.25, 13: outputs lie a quarter of a pixel beside the samples.
  EXPECT_THAT(doubled("linear", Tensor::from<int8_t>({2}, {10, 13})), testing::ElementsAre(10, 11, 12, 13));
  // A step of 255: cubic weights at 1/4 and 3/4 beside it add up to 0.2265625 and 0.7734375, and overshoot elsewhere.
  EXPECT_THAT(doubled("cubic", Tensor::from<uint8_t>({4}, {0, 0, 255, 255})),
              testing::ElementsAre(0, 0, 0, 58, 197, 255, 255, 255));
}

// As ONNX Runtime does: up where an axis shrinks, down where it grows.
TEST(Resize, OfOpset10RoundsUpWhereItShrinks) {
  const auto resized = [](float scale) {
    return run_one("y = Resize<mode = \"nearest\">(a, b)",
                   {Tensor::from<float>({4}, {0, 1, 2, 3}), Tensor::from<float>({1}, {scale})}, {10});
  };
  test::expect_close(resized(0.75F), {3}, {0, 2, 3}, 0, 0);          // 0, 4/3, 8/3
  test::expect_close(resized(1.5F), {6}, {0, 0, 1, 2, 2, 3}, 0, 0);  // 0, 2/3, 4/3, 2, 8/3, 10/3
}

TEST(Resize, ScalesTheRegionOfInterestOnly) {
  // floor(4 * (0.75 - 0.25) * 2) = 4 samples from 0.25 * 3 to 0.75 * 3
  const Tensor x = Tensor::from<float>({4}, {0, 1, 2, 3}), roi = Tensor::from<float>({2}, {0.25F, 0.75F}),
               scale = Tensor::from<float>({1}, {2});
  const Tensor y =
      run_one("y = Resize<mode = \"linear\", coordinate_transformation_mode = \"tf_crop_and_resize\">(a, b, c)",
              {x, roi, scale}, {19});
  test::expect_close(y, {4}, {0.75, 1.25, 1.75, 2.25}, 1e-6, 0);
}

}  // namespace
}  // namespace detent
