// Transforms, windows, mel weights and determinants.

#include <complex>
#include <numbers>

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::expect_close;
using test::run_one;
using test::values;
using testing::ElementsAre;

std::complex<double> bin(const Tensor& real, int64_t n, int64_t b) {
  std::complex<double> sum;
  for (int64_t k = 0; k < n; ++k)
    sum += static_cast<double>(real.data<float>()[static_cast<size_t>(k)]) *
           std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k * b) / static_cast<double>(n));
  return sum;
}

TEST(DFT, EqualsTheNaiveSumOfOneAndBothSides) {
  const Tensor signal = test::ramp({1, 7, 1});
  for (const bool onesided : {false, true}) {
    std::vector<double> expected;
    for (int64_t b = 0; b < (onesided ? 4 : 7); ++b) {
      expected.push_back(bin(signal, 7, b).real());
      expected.push_back(bin(signal, 7, b).imag());
    }
    const std::string node = std::string("y = DFT<onesided = ") + (onesided ? "1" : "0") + ">(a)";
    // computed in double, one rounding; sums of 7 numbers up to 3 may cancel to 1e-14
    expect_close(run_one(node, {signal}, {20}), {1, onesided ? 4 : 7, 2}, expected, 1e-6, 1e-12);
  }
}

TEST(DFT, ComesBackThroughItsInverse) {
  const Tensor signal = test::ramp({2, 5, 3, 2});
  const Tensor axis = Tensor::scalar<int64_t>(1);
  const Tensor there = run_one("y = DFT(a, , c)", {signal, Tensor(), axis}, {20});
  const Tensor back = run_one("y = DFT<inverse = 1>(a, , c)", {there, Tensor(), axis}, {20});
  const auto given = values(signal);
  expect_close(back, signal.shape(), {given.begin(), given.end()}, 1e-6, 1e-6);  // two roundings of sums up to 15
  const Tensor real = test::ramp({1, 6, 1});
  const Tensor half = run_one("y = DFT<onesided = 1>(a)", {real}, {20});
  const auto wanted = values(real);
  expect_close(run_one("y = DFT<onesided = 1, inverse = 1>(a)", {half}, {20}), real.shape(),
               {wanted.begin(), wanted.end()}, 1e-6, 1e-6);
}

TEST(DFT, RefusesTheAxisOfTheParts) {
  EXPECT_THROW(run_one("y = DFT<axis = 2>(a)", {test::ramp({1, 4, 2})}, {17}), Error);
  EXPECT_THROW(run_one("y = DFT(a)", {test::ramp({1, 4, 3})}, {17}), Error);
}

TEST(STFT, TransformsWindowedFrames) {
  const Tensor signal = test::ramp({1, 10, 1}), window = test::ramp({4}, 0.1F, 1);
  const Tensor y = run_one("y = STFT(a, b, c)", {signal, Tensor::scalar<int64_t>(3), window}, {17});
  std::vector<double> expected;
  for (size_t frame = 0; frame < 3; ++frame) {
    Tensor piece(DataType::Float64, {4});
    for (size_t k = 0; k < 4; ++k)
      piece.mutable_data<double>()[k] =
          static_cast<double>(signal.data<float>()[frame * 3 + k]) * static_cast<double>(window.data<float>()[k]);
    for (int64_t b = 0; b < 3; ++b) {
      expected.push_back(bin(cast(piece, DataType::Float32), 4, b).real());
      expected.push_back(bin(cast(piece, DataType::Float32), 4, b).imag());
    }
  }
  expect_close(y, {1, 3, 3, 2}, expected, 1e-6, 1e-6);  // the pieces here are rounded to float
  EXPECT_THROW(run_one("y = STFT(a, b, c)", {signal, Tensor::scalar<int64_t>(0), window}, {17}), Error);
}

TEST(SignalWindow, IsPeriodicUnlessAskedToBeSymmetric) {
  const Tensor five = Tensor::scalar<int64_t>(5), four = Tensor::scalar<int64_t>(4);
  expect_close(run_one("y = HannWindow<periodic = 0>(a)", {five}, {17}), {5}, {0, 0.5, 1, 0.5, 0}, 1e-6, 1e-12);
  expect_close(run_one("y = HannWindow(a)", {four}, {17}), {4}, {0, 0.5, 1, 0.5}, 1e-6, 1e-12);
  expect_close(run_one("y = HammingWindow(a)", {four}, {17}), {4}, {4.0 / 46, 25.0 / 46, 1, 25.0 / 46}, 1e-6, 1e-12);
  expect_close(run_one("y = BlackmanWindow(a)", {four}, {17}), {4}, {0, 0.34, 1, 0.34}, 1e-6, 1e-12);
  EXPECT_EQ(run_one("y = HannWindow<output_datatype = 11>(a)", {four}, {17}).type(), DataType::Float64);
  EXPECT_THROW(run_one("y = HannWindow(a)", {test::int64s({-1})}, {17}), Error);
}

TEST(MelWeightMatrix, IsARowOfTriangles) {
  const auto inputs = [](float highest) {
    return std::vector<Tensor>{Tensor::scalar<int64_t>(4), Tensor::scalar<int64_t>(64), Tensor::scalar<int64_t>(8000),
                               Tensor::scalar(0.0F), Tensor::scalar(highest)};
  };
  const Tensor y = run_one("y = MelWeightMatrix(a, b, c, d, e)", inputs(4000), {17});
  ASSERT_EQ(y.shape(), (Shape{33, 4}));
  for (size_t band = 0; band < 4; ++band) {
    float largest = 0;
    for (size_t b = 0; b < 33; ++b) largest = std::max(largest, values(y)[b * 4 + band]);
    EXPECT_EQ(largest, 1) << band;
  }
  EXPECT_THROW(run_one("y = MelWeightMatrix(a, b, c, d, e)", inputs(90000), {17}), Error);
}

TEST(Det, TakesBatchesAndSingularMatrices) {
  const Tensor input = Tensor::from<float>({3, 2, 2}, {0, 1, 1, 0, 2, 3, 4, 5, 1, 2, 2, 4});
  EXPECT_THAT(values(run_one("y = Det(a)", {input})), ElementsAre(-1, -2, 0));
  EXPECT_EQ(run_one("y = Det(a)", {test::ramp({3, 3})}).shape(), Shape());
  EXPECT_THROW(run_one("y = Det(a)", {test::ramp({2, 3})}), Error);
}

}  // namespace
}  // namespace detent
