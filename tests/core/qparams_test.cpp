#include "detent/base/qparams.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>

#include "detent/base/error.h"

namespace detent {
namespace {

constexpr float kUnlimited = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();

QuantType asymmetric() {
  QuantType type;
  type.type = DataType::UInt8;
  return type;
}

TEST(QParams, NarrowSymmetricDividesBy127) {
  const QParams qparams = qparams_from_range({-3, 3}, {});
  ASSERT_EQ(qparams.scale.size(), 1u);
  EXPECT_EQ(qparams.scale[0], static_cast<float>(3.0 / 127));
  EXPECT_EQ(qparams.zero_point[0], 0);
  EXPECT_EQ(qparams.axis, -1);
  EXPECT_EQ(qparams.type, DataType::Int8);
}

TEST(QParams, FullSymmetricUsesAll256Codes) {
  QuantType type;
  type.full_range = true;
  EXPECT_EQ(qparams_from_range({-3, 3}, type).scale[0], 3.0f / 128);
}

TEST(QParams, SymmetricTakesTheLargerEnd) {
  EXPECT_EQ(qparams_from_range({-1, 127}, {}).scale[0], 1.0f);
  EXPECT_EQ(qparams_from_range({-127, 2}, {}).scale[0], 1.0f);
}

TEST(QParams, SevenBitsHaveHalfTheCodes) {
  QuantType type;
  type.weight_bits = 7;
  EXPECT_EQ(qparams_from_range({-63, 63}, type).scale[0], 1.0f);
  type.full_range = true;
  EXPECT_EQ(qparams_from_range({-64, 64}, type).scale[0], 1.0f);
}

QuantType fp8(DataType scale_type = DataType::Float32) {
  return {.type = DataType::Float8E4M3FN, .scale_type = scale_type};
}

TEST(QParams, Fp8DividesTheLargerEndBy448) {
  const QParams qparams = qparams_from_range({-1, 3}, fp8());
  EXPECT_EQ(qparams.scale[0], static_cast<float>(3.0 / 448));
  EXPECT_EQ(qparams.zero_point[0], 0);
  EXPECT_EQ(qparams.type, DataType::Float8E4M3FN);
  EXPECT_EQ(qparams_from_range({-448, 1}, fp8()).scale[0], 1.0F);
  EXPECT_EQ(qparams_from_range({0, 0}, fp8()).scale[0], 1.0F);
  QuantType full = fp8();
  full.full_range = true;  // of integers alone
  EXPECT_EQ(qparams_from_range({-448, 1}, full).scale[0], 1.0F);
}

TEST(QParams, Fp8ScalesOfHalvesMakeNoInf) {
  // FP16 numbers lie 1/8 apart around 65504 / 448 = 146.2; 448 times the next larger one, 146.25, is 65520, which
  // rounds to Inf.
  EXPECT_EQ(qparams_from_range({0, 65504}, fp8(DataType::Float16)).scale[0], 146.125F);
  EXPECT_EQ(qparams_from_range({0, 448}, fp8(DataType::Float16)).scale[0], 1.0F);
}

TEST(QParams, OtherFloatsOfEightBitsAreRefused) {
  EXPECT_THROW((void)qparams_from_range({0, 1}, {.type = DataType::Float8E5M2}), Error);
}

TEST(QParams, AsymmetricCoversTheRangeWith256Codes) {
  const QParams qparams = qparams_from_range({-51, 204}, asymmetric());
  EXPECT_EQ(qparams.scale[0], 1.0f);
  EXPECT_EQ(qparams.zero_point[0], 51);
  EXPECT_EQ(qparams.type, DataType::UInt8);
}

TEST(QParams, AsymmetricRoundsTheZeroPointHalfToEven) {
  EXPECT_EQ(qparams_from_range({-0.5f, 254.5f}, asymmetric()).zero_point[0], 0);
  EXPECT_EQ(qparams_from_range({-1.5f, 253.5f}, asymmetric()).zero_point[0], 2);
  EXPECT_EQ(qparams_from_range({-2.5f, 252.5f}, asymmetric()).zero_point[0], 2);
}

TEST(QParams, AsymmetricWidensTheRangeToContainZero) {
  const QParams above = qparams_from_range({100, 255}, asymmetric());
  EXPECT_EQ(above.scale[0], 1.0f);
  EXPECT_EQ(above.zero_point[0], 0);
  const QParams below = qparams_from_range({-255, -100}, asymmetric());
  EXPECT_EQ(below.scale[0], 1.0f);
  EXPECT_EQ(below.zero_point[0], 255);
}

TEST(QParams, RealZeroIsACode) {
  for (const float min : {-0.1f, -1.234f, -17.0f}) {
    const QParams qparams = qparams_from_range({min, 3.3f}, asymmetric());
    const int32_t zero_point = qparams.zero_point[0];
    EXPECT_EQ(quantize_element(0, qparams.scale[0], zero_point, code_range(DataType::UInt8)), zero_point);
    EXPECT_GE(zero_point, 0);
    EXPECT_LE(zero_point, 255);
  }
}

TEST(QParams, EmptyRangeGivesScaleOne) {
  EXPECT_EQ(qparams_from_range({}, {}).scale[0], 1.0f);
  EXPECT_EQ(qparams_from_range({}, asymmetric()).scale[0], 1.0f);
  EXPECT_EQ(qparams_from_range({}, asymmetric()).zero_point[0], 0);
}

TEST(QParams, ScaleBelowTheSmallestNormalFloatBecomesOne) {
  EXPECT_EQ(qparams_from_range({-FLT_MIN, FLT_MIN}, {}).scale[0], 1.0f);
  EXPECT_EQ(qparams_from_range({-127 * FLT_MIN, 127 * FLT_MIN}, {}).scale[0], FLT_MIN);
}

TEST(QParams, HugeRangesStayFinite) {
  EXPECT_TRUE(std::isfinite(qparams_from_range({-FLT_MAX, FLT_MAX}, asymmetric()).scale[0]));
  QuantType full;
  full.full_range = true;
  EXPECT_EQ(qparams_from_range({-FLT_MAX, FLT_MAX}, full).scale[0], FLT_MAX / 128);
}

TEST(QParams, HalfScalesAreHalvesAndNeverZeroOrInf) {
  QuantType half;
  half.scale_type = DataType::Float16;
  const float ordinary = qparams_from_range({-3, 3}, half).scale[0];
  EXPECT_EQ(ordinary, half_to_float(float_to_half(ordinary)));
  EXPECT_NEAR(ordinary, 3.0 / 127, 3.0 / 127 * 0x1p-11) << "half a unit in the last of 11 bits";
  EXPECT_EQ(qparams_from_range({-1e-9f, 1e-9f}, half).scale[0], 0x1p-24f);
  EXPECT_EQ(qparams_from_range({-1e30f, 1e30f}, half).scale[0], 515.5f) << "127 * 516 would be Inf in a half";
  half.scale_type = DataType::BFloat16;
  const float brain = qparams_from_range({-3, 3}, half).scale[0];
  EXPECT_EQ(brain, bfloat16_to_float(float_to_bfloat16(brain)));
}

TEST(QParams, HalfScalesWithFewBitsAreRoundedUpSoThatNothingIsCut) {
  QuantType half;
  half.scale_type = DataType::Float16;
  // 1.4 * 2^-24 is nearer to 2^-24, which would cut 29 % of the range.
  EXPECT_EQ(qparams_from_range({-127 * 0x1.6p-24f, 127 * 0x1.6p-24f}, half).scale[0], 0x1p-23f);
  EXPECT_EQ(qparams_from_range({-127 * 0x1p-24f, 127 * 0x1p-24f}, half).scale[0], 0x1p-24f);
  for (float amax = 1e-5f; amax < 7.7e-3f; amax *= 1.01f) {  // scales up to 2^-14
    const float scale = qparams_from_range({-amax, amax}, half).scale[0];
    EXPECT_GE(127.0 * scale, amax * (1 - 0x1p-24)) << "the quotient is rounded to float first";
    EXPECT_LT(scale, amax / 127 + 0x1p-24f);
  }
}

TEST(QParams, NoCodeOfAFiniteHalfBecomesInfInAHalf) {
  QuantType half;
  half.scale_type = DataType::Float16;
  for (const DataType type : {DataType::Int8, DataType::UInt8})
    for (const int bits : {8, 7})
      for (const bool full : {false, true})
        for (float amax = 65504; amax > 30000; amax -= 97)
          for (const Range& range : {Range{-amax, amax}, Range{-65504, amax}, Range{0, amax}, Range{-amax, 0}}) {
            half.type = type;
            half.weight_bits = bits;
            half.full_range = full;
            const QParams qparams = qparams_from_range(range, half);
            const CodeRange codes =
                bits == 8 ? code_range(type) : (type == DataType::Int8 ? CodeRange{-64, 63} : CodeRange{0, 127});
            for (const float x : {-65504.0f, range.min, range.max, 65504.0f}) {
              const int32_t code = quantize_element(x, qparams.scale[0], qparams.zero_point[0], codes);
              const float back = static_cast<float>(code - qparams.zero_point[0]) * qparams.scale[0];
              ASSERT_TRUE(std::isfinite(half_to_float(float_to_half(back)))) << x << " of ±" << amax;
            }
          }
}

TEST(QParams, HalfZeroPointFitsTheScaleAsStored) {
  QuantType half = asymmetric();
  half.scale_type = DataType::Float16;
  const QParams qparams = qparams_from_range({-1.1f, 2.2f}, half);
  EXPECT_EQ(qparams.zero_point[0], std::nearbyint(1.1f / qparams.scale[0]));
}

TEST(QParams, RefusesRangesThatAreNone) {
  for (const Range& range : {Range{-kUnlimited, 1}, Range{0, kUnlimited}, Range{kNoNumber, 1}, Range{2, 1}}) {
    try {
      (void)qparams_from_range(range, {});
      ADD_FAILURE() << "accepted [" << range.min << ", " << range.max << "]";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    }
  }
}

TEST(QParams, RefusesTypesAndBitsItHasNoRuleFor) {
  const auto code_of = [](const QuantType& type) {
    try {
      (void)qparams_from_range({-1, 1}, type);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::Internal;
  };
  QuantType wide;
  wide.type = DataType::Int32;
  EXPECT_EQ(code_of(wide), ErrorCode::InvalidOption);
  QuantType one_bit;
  one_bit.weight_bits = 1;
  EXPECT_EQ(code_of(one_bit), ErrorCode::InvalidOption);
  QuantType integer_scale;
  integer_scale.scale_type = DataType::Int8;
  EXPECT_EQ(code_of(integer_scale), ErrorCode::InvalidOption);
}

TEST(QuantizeElement, RoundsHalfToEven) {
  const CodeRange codes = code_range(DataType::Int8);
  EXPECT_EQ(quantize_element(0.5f, 1, 0, codes), 0);
  EXPECT_EQ(quantize_element(1.5f, 1, 0, codes), 2);
  EXPECT_EQ(quantize_element(2.5f, 1, 0, codes), 2);
  EXPECT_EQ(quantize_element(-1.5f, 1, 0, codes), -2);
}

TEST(QuantizeElement, RoundsBeforeAddingTheZeroPoint) {
  EXPECT_EQ(quantize_element(0.5f, 1, 1, code_range(DataType::UInt8)), 1) << "not round(0.5 + 1) = 2";
}

TEST(QuantizeElement, Saturates) {
  EXPECT_EQ(quantize_element(1000, 1, 0, code_range(DataType::Int8)), 127);
  EXPECT_EQ(quantize_element(-1000, 1, 0, code_range(DataType::Int8)), -128) << "QuantizeLinear has all 256 codes";
  EXPECT_EQ(quantize_element(1e38f, 1e-3f, 10, code_range(DataType::UInt8)), 255);
  EXPECT_EQ(quantize_element(-kUnlimited, 1, 10, code_range(DataType::UInt8)), 0);
  EXPECT_EQ(quantize_element(kUnlimited, 1, -10, code_range(DataType::Int8)), 127);
}

TEST(QuantizeElement, TakesNaNAsCodeZero) {
  EXPECT_EQ(quantize_element(kNoNumber, 1, 0, code_range(DataType::Int8)), 0);
}

TEST(CodeRange, IsThatOfTheType) {
  EXPECT_EQ(code_range(DataType::Int8).lowest, -128);
  EXPECT_EQ(code_range(DataType::UInt8).highest, 255);
  EXPECT_EQ(code_range(DataType::UInt16).highest, 65535);
  EXPECT_EQ(code_range(DataType::Int4).lowest, -8);
}

TEST(CodeRange, RefusesFloats) { EXPECT_THROW((void)code_range(DataType::Float32), Error); }

TEST(QParams, KeepsAGivenScaleToTheBit) {
  size_t rounded = 0;
  for (uint32_t bits = 0x3c000000; bits < 0x3d000000; bits += 4099) {
    const auto scale = std::bit_cast<float>(bits);
    const auto amax = static_cast<float>(127.0 * scale);
    EXPECT_EQ(qparams_from_range({-amax, amax, scale}, {}).scale.front(), scale);
    rounded += qparams_from_range({-amax, amax}, {}).scale.front() != scale;
  }
  EXPECT_GT(rounded, 0U);  // with a float amax some scales change: therefore the range carries the scale
}

TEST(QParams, WidensAGivenScaleToUnsignedCodes) {
  const QParams qparams = qparams_from_range({-127, 127, 1}, {.type = DataType::UInt8});
  EXPECT_FLOAT_EQ(qparams.scale.front(), 254.0F / 255.0F);
  EXPECT_NEAR(qparams.zero_point.front(), 127.5, 0.5);  // a tie that the stored scale decides
}

QuantType wide(DataType type) { return {.type = type}; }

TEST(QParams, SixteenBitsDivideByTheirCodes) {
  const QParams symmetric = qparams_from_range({-1, 3}, wide(DataType::Int16));
  EXPECT_EQ(symmetric.scale[0], static_cast<float>(3.0 / 32767));
  EXPECT_EQ(symmetric.zero_point[0], 0);
  EXPECT_EQ(symmetric.type, DataType::Int16);
  const QParams shifted = qparams_from_range({-1, 3}, wide(DataType::UInt16));
  EXPECT_EQ(shifted.scale[0], static_cast<float>(4.0 / 65535));
  EXPECT_EQ(shifted.zero_point[0], 16384);
  EXPECT_EQ(qparams_from_range({0, 1}, wide(DataType::UInt16)).zero_point[0], 0);
}

TEST(QParams, SixteenBitsTakeTheFullRangeAndNoBitsOfWeights) {
  QuantType type = wide(DataType::Int16);
  type.full_range = true;
  type.weight_bits = 7;
  EXPECT_EQ(qparams_from_range({-3, 3}, type).scale[0], 3.0F / 32768);
}

TEST(QParams, SixteenBitsKeepAGivenScaleAndZeroPoint) {
  const QParams kept = qparams_from_range({-1, 1, 0.1F, 40000}, wide(DataType::UInt16));
  EXPECT_EQ(kept.scale[0], 0.1F);
  EXPECT_EQ(kept.zero_point[0], 40000);
}

// Expected numbers: compute_scale_zp of onnxruntime.quantization with min_real_range 0.0001.
TEST(QParams, ANarrowRangeIsWidenedAtItsUpperEnd) {
  const auto scale = [](Range range, DataType type, float smallest) {
    return qparams_from_range(range, {.type = type, .full_range = type != DataType::UInt8, .smallest_range = smallest});
  };
  EXPECT_FLOAT_EQ(scale({0, 0}, DataType::UInt8, 1e-4F).scale[0], 0.0001F / 255);
  EXPECT_FLOAT_EQ(scale({0, 0}, DataType::Int8, 1e-4F).scale[0], 0.0002F / 256);
  EXPECT_FLOAT_EQ(scale({0, 0}, DataType::UInt16, 1e-4F).scale[0], 0.0001F / 65535);
  const QParams below = scale({-2e-5F, 0}, DataType::UInt8, 1e-4F);  // [-2e-5, 8e-5]
  EXPECT_FLOAT_EQ(below.scale[0], 0.0001F / 255);
  EXPECT_EQ(below.zero_point[0], 51);
  EXPECT_EQ(scale({0, 0}, DataType::UInt8, 0).scale[0], 1);                      // no smallest range
  EXPECT_FLOAT_EQ(scale({-1, 1}, DataType::UInt8, 1e-4F).scale[0], 2.0F / 255);  // wide enough
}

TEST(CodeFormats, AgreeWithTheRangesOfTheirCodes) {
  for (const CodeFormat& format : code_formats()) {
    if (format.range == RangeKind::Float8) continue;
    const CodeRange codes = code_range(format.type);
    const int steps = is_asymmetric(format.range) ? codes.highest - codes.lowest : codes.highest;
    EXPECT_EQ(steps_of(format.range), steps) << name_of(format.type);
    EXPECT_EQ(static_cast<size_t>(format.bits), bit_size(format.type));
    EXPECT_EQ(code_format(format.wide).bits, 16);
    EXPECT_EQ(code_format(format.wide).range, widened(format.range));
  }
}

TEST(CodeFormats, RefuseTypesThatNoActivationHas) { EXPECT_THROW((void)code_format(DataType::Int4), Error); }

}  // namespace
}  // namespace detent
