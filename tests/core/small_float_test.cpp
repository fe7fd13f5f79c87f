#include "core/small_float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace detent {
namespace {

constexpr float kLargest = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr bool kSaturate = true, kOverflow = false;

struct Case {
  DataType type;
  float largest,
      smallest;  ///< magnitudes above zero. Source: the papers and the MX specification named in small_float.h
};

constexpr Case kCases[] = {
    {DataType::Float8E4M3FN, 448, 0x1p-9F},  {DataType::Float8E4M3FNUZ, 240, 0x1p-10F},
    {DataType::Float8E5M2, 57344, 0x1p-16F}, {DataType::Float8E5M2FNUZ, 57344, 0x1p-17F},
    {DataType::Float6E2M3, 7.5F, 0.125F},    {DataType::Float6E3M2, 28, 0.0625F},
    {DataType::Float4E2M1, 6, 0.5F},
};

/// Returns all finite values of a format with their bits.
std::vector<std::pair<float, uint8_t>> all_values(DataType type) {
  std::vector<std::pair<float, uint8_t>> values;
  for (unsigned bits = 0; bits < 1U << bit_size(type); ++bits) {
    const float value = decode(small_float_format(type), static_cast<uint8_t>(bits));
    if (std::isfinite(value)) values.emplace_back(value, static_cast<uint8_t>(bits));
  }
  return values;
}

TEST(SmallFloat, HasTheExtremesOfItsSpecification) {
  for (const Case& one : kCases) {
    float largest = 0, smallest = kLargest;
    for (const auto& [value, bits] : all_values(one.type)) {
      largest = std::max(largest, value);
      if (value > 0) smallest = std::min(smallest, value);
    }
    EXPECT_EQ(largest, one.largest) << name_of(one.type);
    EXPECT_EQ(smallest, one.smallest) << name_of(one.type);
  }
}

TEST(SmallFloat, KeepsEveryValueOfItsOwn) {
  for (const Case& one : kCases)
    for (const auto& [value, bits] : all_values(one.type))
      for (const bool saturate : {false, true})
        EXPECT_EQ(encode(small_float_format(one.type), value, saturate), bits) << name_of(one.type) << " " << value;
}

TEST(SmallFloat, TakesTheNearestValueAndTheEvenOneInTheMiddle) {
  std::mt19937 random(1);
  for (const Case& one : kCases) {
    const auto values = all_values(one.type);
    std::uniform_real_distribution<float> any(-one.largest, one.largest);
    std::uniform_real_distribution<float> small(-20 * one.smallest, 20 * one.smallest);
    for (int i = 0; i < 2000; ++i) {
      const float x = i % 2 ? any(random) : small(random);
      const float y = decode(small_float_format(one.type), encode(small_float_format(one.type), x, kSaturate));
      for (const auto& [other, bits] : values) ASSERT_GE(std::abs(x - other), std::abs(x - y)) << x;
    }
    for (size_t i = 0; i + 1 < values.size(); ++i) {  // consecutive patterns of one sign are consecutive values
      const auto [low, bits] = values[i];
      const auto [high, next] = values[i + 1];
      if (next != bits + 1 || std::signbit(low) || std::signbit(high)) continue;
      EXPECT_EQ(encode(small_float_format(one.type), (low + high) / 2, kSaturate), bits % 2 ? next : bits);
    }
  }
}

/// The two tables of ONNX's operator Cast.
TEST(SmallFloat, SaturatesOrOverflowsAsOnnxSays) {
  struct Row {
    DataType type;
    float beyond, infinite;  ///< without saturation
  };
  for (const Row& row : {Row{DataType::Float8E4M3FN, kNan, kNan}, Row{DataType::Float8E4M3FNUZ, kNan, kNan},
                         Row{DataType::Float8E5M2, kLargest, kLargest}, Row{DataType::Float8E5M2FNUZ, kNan, kNan}}) {
    const SmallFloatFormat& format = small_float_format(row.type);
    const float largest = decode(format, format.largest);
    for (const float sign : {1.0F, -1.0F}) {
      EXPECT_EQ(decode(format, encode(format, sign * 1e6F, kSaturate)), sign * largest);
      EXPECT_EQ(decode(format, encode(format, sign * kLargest, kSaturate)), sign * largest);
      const float beyond = decode(format, encode(format, sign * 1e6F, kOverflow));
      const float infinite = decode(format, encode(format, sign * kLargest, kOverflow));
      EXPECT_TRUE(std::isnan(row.beyond) ? std::isnan(beyond) : beyond == sign * row.beyond);
      EXPECT_TRUE(std::isnan(row.infinite) ? std::isnan(infinite) : infinite == sign * row.infinite);
    }
    EXPECT_TRUE(std::isnan(decode(format, encode(format, kNan, kSaturate))));
    EXPECT_EQ(std::signbit(decode(format, encode(format, -0.0F, kSaturate))), format.has_negative_zero);
  }
  const SmallFloatFormat& tiny = small_float_format(DataType::Float4E2M1);
  EXPECT_EQ(decode(tiny, encode(tiny, kLargest, kOverflow)), 6);  // neither infinity nor NaN: always saturates
}

TEST(SmallFloat, HoldsPowersOfTwoRoundedAsAsked) {
  using Rounding = CastOptions::Rounding;
  for (int exponent = -127; exponent <= 127; ++exponent)
    EXPECT_EQ(decode_power(encode_power(std::ldexp(1.0, exponent), {})), std::ldexp(1.0F, exponent));
  const auto rounded = [](double x, Rounding rounding) { return decode_power(encode_power(x, {true, rounding})); };
  EXPECT_EQ(rounded(5, Rounding::Up), 8);
  EXPECT_EQ(rounded(5, Rounding::Down), 4);
  EXPECT_EQ(rounded(5, Rounding::Nearest), 4);
  EXPECT_EQ(rounded(6, Rounding::Nearest), 8);  // the middle goes up
  EXPECT_EQ(rounded(0, Rounding::Up), 0x1p-127F);
  EXPECT_EQ(rounded(1e300, Rounding::Down), 0x1p127F);
  EXPECT_TRUE(std::isnan(decode_power(encode_power(0, {false, Rounding::Nearest}))));
  EXPECT_TRUE(std::isnan(decode_power(encode_power(1e300, {false, Rounding::Nearest}))));
  EXPECT_TRUE(std::isnan(decode_power(encode_power(kNan, {}))));
}

/// Rounded to float first, both would be ties between two FP16 numbers, and the wrong one is even.
TEST(Cast, RoundsDoublesToHalvesOnce) {
  const double inputs[] = {1 + 0x1p-11 + 0x1p-40, 1 + 0x1.8p-10 - 0x1p-40, 1 + 0x1p-11, 1e300, -0x1p-1000};
  const Tensor half = cast(Tensor::from<double>({5}, std::span<const double>(inputs)), DataType::Float16);
  const Tensor wide = cast(half, DataType::Float32);
  EXPECT_EQ(std::vector<float>(wide.data<float>().begin(), wide.data<float>().end()),
            (std::vector<float>{1 + 0x1p-10F, 1 + 0x1p-10F, 1, kLargest, -0.0F}));
}

TEST(Cast, DropsHigherBitsBetweenIntegersAndKeepsThemSignedBelowEightBits) {
  const Tensor wide = Tensor::from<int32_t>({5}, {1, 2, 3, 5, -1});
  const Tensor narrow = cast(wide, DataType::Int2), bare = cast(wide, DataType::UInt2);
  EXPECT_EQ(std::vector<int8_t>(narrow.data<int8_t>().begin(), narrow.data<int8_t>().end()),
            (std::vector<int8_t>{1, -2, -1, 1, -1}));
  EXPECT_EQ(std::vector<uint8_t>(bare.data<uint8_t>().begin(), bare.data<uint8_t>().end()),
            (std::vector<uint8_t>{1, 2, 3, 1, 3}));
}

// Tests of the fast encode() and decode() for Float8E4M3FN.

TEST(E4M3, EncodesAsTheGeneralFormDoes) {
  const SmallFloatFormat& format = small_float_format(DataType::Float8E4M3FN);
  const auto check = [&](float value) {
    for (const float x : {value, -value}) EXPECT_EQ(encode_e4m3(x), encode(format, x, kSaturate)) << x;
  };
  const auto values = all_values(DataType::Float8E4M3FN);
  for (const auto& [one, bits] : values)
    for (const auto& [other, ignored] : values) {
      const float middle = (one + other) / 2;  // among them every tie
      for (const float x : {one, middle, std::nextafter(middle, kLargest), std::nextafter(middle, -kLargest)}) check(x);
    }
  for (const float x : {0.0F, 0x1p-149F, 0x1p-10F, std::nextafter(0x1p-10F, 1.0F), 464.0F, 465.0F, 1e30F, kLargest})
    check(x);
  std::mt19937 random(3);
  std::uniform_int_distribution<uint32_t> bits(0, 0x7f800000);
  for (int i = 0; i < 100'000; ++i) check(std::bit_cast<float>(bits(random)));
}

TEST(E4M3, SaturatesAndKeepsNan) {
  EXPECT_EQ(encode_e4m3(449.0F), 0x7e);
  EXPECT_EQ(encode_e4m3(-kLargest), 0xfe);
  EXPECT_EQ(encode_e4m3(kNan) & 0x7f, 0x7f);
  EXPECT_EQ(encode_e4m3(-0.0F), 0x80);
}

TEST(E4M3, DecodesAsTheGeneralFormDoes) {
  const SmallFloatFormat& format = small_float_format(DataType::Float8E4M3FN);
  for (int code = 0; code < 256; ++code) {
    const float expected = decode(format, static_cast<uint8_t>(code)), found = decode_e4m3(static_cast<uint8_t>(code));
    EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected))) << code;
  }
}

}  // namespace
}  // namespace detent
