// GridSample: places whose result is known without sampling.
#include <numeric>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::ramp;
using test::run_one;

std::string grid_sample(const std::string& mode, const std::string& padding, int align_corners) {
  return "y = GridSample<mode = \"" + mode + "\", padding_mode = \"" + padding +
         "\", align_corners = " + std::to_string(align_corners) + ">(a, b)";
}

/// Returns the grid that samples every element of an input of that shape at its own place.
Tensor identity_grid(const Shape& shape, int align_corners) {
  const size_t axes = shape.rank() - 2;
  Shape to{shape[0]};
  for (size_t i = 2; i < shape.rank(); ++i) to.push_back(shape[i]);
  to.push_back(static_cast<int64_t>(axes));
  Tensor grid(DataType::Float32, to);
  for (int64_t point = 0; point < to.element_count(0, axes + 1); ++point) {
    int64_t rest = point;
    for (size_t i = 0; i < axes; ++i) {  // x, the last axis, comes first
      const int64_t extent = to[axes - i];
      const auto at = static_cast<float>(rest % extent), length = static_cast<float>(extent);
      grid.mutable_data<float>()[static_cast<size_t>(point) * axes + i] =
          align_corners ? 2 * at / (length - 1) - 1 : (2 * at + 1) / length - 1;
      rest /= extent;
    }
  }
  return grid;
}

TEST(GridSample, GivesTheInputBackAtItsOwnPlaces) {
  for (const Shape& shape : {Shape{2, 3, 4, 5}, Shape{1, 2, 3, 4, 5}})
    for (const int align : {0, 1})
      for (const char* mode : {"linear", "nearest", "cubic"})
        for (const char* padding : {"zeros", "border", "reflection"}) {
          SCOPED_TRACE(std::string(mode) + " " + padding);
          const Tensor input = ramp(shape);
          const Tensor got =
              run_one(grid_sample(mode, padding, align), {input, identity_grid(shape, align)}, {.opset = 20});
          const std::vector<float> own = test::values(input);
          // Places are off by 4 ulp of a number up to 5; values differ by up to 6 from one element to the next, and the
          // cubic's slope is below 2: 5 * 2^-22 * 6 * 2 * 3 axes = 5e-5.
          test::expect_close(got, shape, {own.begin(), own.end()}, 0, 5e-5);
        }
}

float at_place(float x, const std::string& mode, const std::string& padding, int align) {
  const Tensor row = Tensor::from<float>({1, 1, 1, 4}, {10, 20, 30, 40});
  const Tensor place = Tensor::from<float>({1, 1, 1, 2}, {x, 0});
  return run_one(grid_sample(mode, padding, align), {row, place}, {.opset = 16}).data<float>()[0];
}

TEST(GridSample, BlendsBetweenElements) {
  EXPECT_FLOAT_EQ(at_place(0, "bilinear", "zeros", 1), 25);
  EXPECT_FLOAT_EQ(at_place(0.25F, "bilinear", "zeros", 0), 30);  // (1.25 * 4 - 1) / 2 = 2
  EXPECT_FLOAT_EQ(at_place(0, "bicubic", "border", 1), 25);      // a straight line stays one
}

TEST(GridSample, RoundsHalvesToEven) {
  EXPECT_EQ(at_place(0, "nearest", "zeros", 1), 30);          // 1.5 -> 2
  EXPECT_EQ(at_place(-2.0F / 3, "nearest", "zeros", 1), 10);  // 0.5 -> 0
}

TEST(GridSample, TreatsTheOutsideAsAsked) {
  EXPECT_EQ(at_place(-3, "bilinear", "zeros", 0), 0);
  EXPECT_EQ(at_place(-3, "bilinear", "border", 0), 10);
  EXPECT_FLOAT_EQ(at_place(-1.5F, "nearest", "reflection", 1), 20);  // -0.75 -> -1, mirrored at 0
  EXPECT_FLOAT_EQ(at_place(-1.5F, "nearest", "reflection", 0), 20);  // -1.5 -> -2, mirrored at -0.5: 1
  EXPECT_EQ(at_place(1e30F, "bilinear", "zeros", 0), 0);
}

TEST(GridSample, BlendsTheBorderWithTheWeightsOfAPlaceOutside) {
  // 0.3 of an element outside: weights by hand for t = 0.7, where three taps find the border's 10 and the last one
  // finds 20.
  constexpr double a = -0.75, far = 1.3;  // 2 - t
  const double last = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a;
  const double expected = 10 + last * 10;  // weights sum up to 1
  EXPECT_NEAR(static_cast<double>(at_place(-1.2F, "bicubic", "border", 1)), expected,
              1e-4);  // x = -0.3: 1 ulp of it is 3e-8
  EXPECT_LT(expected, 9.7);
  EXPECT_EQ(at_place(-1.2F, "bilinear", "border", 1), 10) << "a linear blend of equals";
  EXPECT_FLOAT_EQ(at_place(-9, "bicubic", "border", 1), 10) << "all taps are at the border";
  EXPECT_FLOAT_EQ(at_place(9, "bicubic", "border", 1), 40);
  EXPECT_NEAR(at_place(-1.2F, "bicubic", "reflection", 1), at_place(-0.8F, "bicubic", "reflection", 1), 1e-4)
      << "mirrored: places are off by an ulp of 1, values differ by 10 from one to the next";
}

TEST(GridSample, RefusesAGridOfAnotherRank) {
  EXPECT_THROW(run_one(grid_sample("linear", "zeros", 0), {ramp({1, 1, 2, 2}), ramp({1, 2, 2, 3})}, {.opset = 20}),
               Error);
  EXPECT_THROW(run_one(grid_sample("sinc", "zeros", 0), {ramp({1, 1, 2, 2}), ramp({1, 2, 2, 2})}, {.opset = 20}),
               Error);
}

}  // namespace
}  // namespace detent
