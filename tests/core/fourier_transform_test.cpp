#include "core/fourier_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "core/memory_limit_guard.h"
#include "detent/base/error.h"

namespace detent {
namespace {

using Complex = FourierTransform::Complex;

std::vector<Complex> random_line(size_t length) {
  std::mt19937 random(static_cast<uint32_t>(length));
  std::normal_distribution<double> normal;
  std::vector<Complex> line(length);
  for (Complex& sample : line) sample = {normal(random), normal(random)};
  return line;
}

/// Computes the defining sum. The angle is taken modulo the length, so it is exact to the last bits whatever k * b is.
std::vector<Complex> naive(const std::vector<Complex>& line, double sign) {
  const size_t n = line.size();
  std::vector<Complex> bins(n);
  for (size_t b = 0; b < n; ++b)
    for (size_t k = 0; k < n; ++k)
      bins[b] += line[k] *
                 std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(k * b % n) / static_cast<double>(n));
  return bins;
}

/// The sum itself rounds n times by 2^-53 of bins of the size of sqrt(2 n); it is the worse of the two.
double tolerance(size_t length) {
  const auto n = static_cast<double>(length);
  return std::ldexp(8 * n * std::sqrt(2 * n), -53) + 1e-15;
}

void expect_near(const std::vector<Complex>& found, const std::vector<Complex>& wanted, double bound) {
  for (size_t i = 0; i < found.size(); ++i)
    EXPECT_LE(std::abs(found[i] - wanted[i]), bound) << "bin " << i << " of " << found.size();
}

/// Powers of two, a prime, products of small and large primes, and the frames of speech networks.
class Lengths : public ::testing::TestWithParam<size_t> {};

TEST_P(Lengths, ForwardIsTheSumOfComplexSamples) {
  const auto line = random_line(GetParam());
  std::vector<Complex> bins(line.size());
  FourierTransform().forward(std::span<const Complex>(line), bins);
  expect_near(bins, naive(line, -1), tolerance(line.size()));
}

TEST_P(Lengths, ForwardOfRealsIsTheFirstHalf) {
  auto line = random_line(GetParam());
  std::vector<double> reals;
  for (Complex& sample : line) {
    reals.push_back(sample.real());
    sample = sample.real();
  }
  std::vector<Complex> bins(line.size() / 2 + 1);
  FourierTransform().forward(std::span<const double>(reals), bins);
  expect_near(bins, naive(line, -1), tolerance(line.size()));
}

TEST_P(Lengths, InverseBringsTheSamplesBack) {
  const auto line = random_line(GetParam());
  FourierTransform transform;
  std::vector<Complex> bins(line.size()), back(line.size());
  transform.forward(std::span<const Complex>(line), bins);
  transform.inverse(bins, back);
  expect_near(back, line, tolerance(line.size()) / static_cast<double>(line.size()));
}

INSTANTIATE_TEST_SUITE_P(, Lengths,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30, 64, 97, 128, 131, 226, 262, 400, 512,
                                           1000, 1009, 1024));

TEST(FourierTransform, TakesNoMoreThanMemoryHoldsForALargePrime) {
  const detent::test::MemoryLimit limit(1'000'000);
  const std::vector<Complex> line(65537);
  std::vector<Complex> bins(line.size());
  try {
    FourierTransform().forward(std::span<const Complex>(line), bins);
    ADD_FAILURE() << "262144 points of 16 bytes, four times, are 16.8 MB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
  }
}

TEST(FourierTransform, OfLongLinesWithAPrimeFactorOf17IsTheOneOfItsParts) {
  // 17 * 512 samples of one frequency: everything falls into one bin.
  constexpr size_t kLength = 17 * 512, kBin = 100;
  std::vector<Complex> line(kLength), bins(kLength);
  for (size_t k = 0; k < kLength; ++k)
    line[k] =
        std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(k * kBin % kLength) / static_cast<double>(kLength));
  FourierTransform().forward(std::span<const Complex>(line), bins);
  for (size_t b = 0; b < kLength; ++b)
    EXPECT_NEAR(std::abs(bins[b]), b == kBin ? static_cast<double>(kLength) : 0, 1e-9) << b;
}

TEST(FourierTransform, TransformsOneLengthAfterAnother) {
  FourierTransform transform;
  for (const size_t length : {16U, 5U, 16U}) {
    const auto line = random_line(length);
    std::vector<Complex> bins(length);
    transform.forward(std::span<const Complex>(line), bins);
    expect_near(bins, naive(line, -1), tolerance(length));
  }
}

TEST(FourierTransform, OfNothingIsNothing) {
  FourierTransform transform;
  std::vector<Complex> none;
  transform.forward(std::span<const Complex>(none), none);
  transform.inverse(none, none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace detent
