// Operators on bits, remainders and kinds of floats.

#include "ops/node_runner.h"

namespace detent {
namespace {

using test::integers;
using test::run_one;
using test::values;
using testing::ElementsAre;

TEST(Bitwise, CombinesIntegersWithBroadcasting) {
  const Tensor a = Tensor::from<int16_t>({2, 2}, {12, -1, 5, 0}), b = Tensor::from<int16_t>({2}, {10, 6});
  EXPECT_THAT(integers(run_one("y = BitwiseAnd(a, b)", {a, b}, {18})), ElementsAre(8, 6, 0, 0));
  EXPECT_THAT(integers(run_one("y = BitwiseOr(a, b)", {a, b}, {18})), ElementsAre(14, -1, 15, 6));
  EXPECT_THAT(integers(run_one("y = BitwiseXor(a, b)", {a, b}, {18})), ElementsAre(6, -7, 15, 6));
  EXPECT_THAT(integers(run_one("y = BitwiseNot(a)", {a}, {18})), ElementsAre(-13, 0, -6, -1));
  EXPECT_THROW(run_one("y = BitwiseAnd(a, b)", {test::ramp({2}), test::ramp({2})}, {18}), Error);
  EXPECT_THROW(run_one("y = BitwiseAnd(a, b)", {a, test::int64s({1, 2})}, {18}), Error);
}

TEST(BitShift, LeavesNothingBeyondTheWidth) {
  const Tensor a = Tensor::from<uint8_t>({4}, {16, 4, 255, 255}), b = Tensor::from<uint8_t>({4}, {1, 2, 8, 200});
  EXPECT_THAT(integers(run_one("y = BitShift<direction = \"LEFT\">(a, b)", {a, b})), ElementsAre(32, 16, 0, 0));
  EXPECT_THAT(integers(run_one("y = BitShift<direction = \"RIGHT\">(a, b)", {a, b})), ElementsAre(8, 1, 0, 0));
  EXPECT_THROW(run_one("y = BitShift<direction = \"UP\">(a, b)", {a, b}), Error);
  EXPECT_THROW(run_one("y = BitShift<direction = \"LEFT\">(a, b)", {test::int64s({1}), test::int64s({1})}), Error);
}

TEST(Mod, HasTheSignOfTheDivisorOrAsInCOfTheDividend) {
  const Tensor a = Tensor::from<int32_t>({6}, {-4, 7, 5, 4, -7, 8}),
               b = Tensor::from<int32_t>({6}, {2, -3, 8, -2, 3, 5});
  EXPECT_THAT(integers(run_one("y = Mod(a, b)", {a, b})), ElementsAre(0, -2, 5, 0, 2, 3));
  EXPECT_THAT(integers(run_one("y = Mod<fmod = 1>(a, b)", {a, b})), ElementsAre(0, 1, 5, 0, -1, 3));
  const Tensor x = Tensor::from<float>({2}, {-4.25F, 7.5F}), y = Tensor::from<float>({2}, {2, -4});
  EXPECT_THAT(values(run_one("y = Mod<fmod = 1>(a, b)", {x, y})), ElementsAre(-0.25F, 3.5F));
  EXPECT_THAT(values(run_one("y = Mod(a, b)", {x, y})), ElementsAre(1.75F, -0.5F));
  EXPECT_THROW(run_one("y = Mod(a, b)", {a, Tensor::from<int32_t>({1}, {0})}), Error);
}

TEST(Mod, SurvivesTheSmallestInteger) {
  const Tensor a = Tensor::from<int64_t>({1}, {std::numeric_limits<int64_t>::min()});
  EXPECT_THAT(integers(run_one("y = Mod(a, b)", {a, test::int64s({-1})})), ElementsAre(0));
}

TEST(FloatClass, TellsInfinitiesFromNotANumber) {
  const Tensor a = Tensor::from<double>({4}, {1, NAN, INFINITY, -INFINITY});
  const auto marks = [&](const std::string& node) { return integers(run_one(node, {a}, {20})); };
  EXPECT_THAT(marks("y = IsNaN(a)"), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(marks("y = IsInf(a)"), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(marks("y = IsInf<detect_negative = 0>(a)"), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(marks("y = IsInf<detect_positive = 0>(a)"), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(integers(run_one("y = IsInf(a)", {cast(a, DataType::Float16)}, {20})), ElementsAre(0, 0, 1, 1));
  EXPECT_THROW(run_one("y = IsNaN(a)", {test::int64s({1})}), Error);
}

TEST(BitCast, ReadsTheSameBits) {
  const Tensor a = Tensor::from<float>({2}, {1, -2});
  EXPECT_THAT(integers(run_one("y = BitCast<to = 6>(a)", {a}, {26})), ElementsAre(0x3F800000, int64_t{-0x40000000}));
  EXPECT_THROW(run_one("y = BitCast<to = 7>(a)", {a}, {26}), Error);
}

TEST(Cast, DropsTheHigherBitsOfFourBitIntegers) {
  const Tensor a = Tensor::from<int32_t>({5}, {-9, -8, 7, 8, 17});
  EXPECT_THAT(integers(run_one("y = Cast<to = 22>(a)", {a}, {21})), ElementsAre(7, -8, 7, -8, 1));
  EXPECT_THAT(integers(run_one("y = Cast<to = 21>(a)", {a}, {21})), ElementsAre(7, 8, 7, 8, 1));
}

TEST(Shrink, LeavesNothingInTheMiddle) {
  const Tensor a = Tensor::from<float>({5}, {-2, -1, 0, 1, 2});
  EXPECT_THAT(values(run_one("y = Shrink<lambd = 1.0, bias = 0.5>(a)", {a})), ElementsAre(-1.5F, 0, 0, 0, 1.5F));
  EXPECT_THAT(values(run_one("y = Shrink(a)", {a})), ElementsAre(-2, -1, 0, 1, 2));
}

TEST(Hardmax, MarksOneElementALine) {
  const Tensor a = Tensor::from<float>({2, 2, 2}, {1, 3, 3, 0, 5, 5, 2, 9});
  EXPECT_THAT(values(run_one("y = Hardmax(a)", {a})), ElementsAre(0, 1, 1, 0, 1, 0, 0, 1));
  EXPECT_THAT(values(run_one("y = Hardmax<axis = 1>(a)", {a})), ElementsAre(0, 1, 1, 0, 1, 0, 0, 1));
  EXPECT_THAT(values(run_one("y = Hardmax(a)", {a}, {11})), ElementsAre(0, 1, 0, 0, 0, 0, 0, 1));  // axes 1, 2 are one
  EXPECT_THROW(run_one("y = Hardmax<axis = 3>(a)", {a}), Error);
}

TEST(Pow, KeepsIntegersExactAndTheTypeOfTheBase) {
  const Tensor base = Tensor::from<int64_t>({3}, {3, -2, 5}), exponent = test::int64s({39, 3, -1});
  EXPECT_THAT(integers(run_one("y = Pow(a, b)", {base, exponent})), ElementsAre(4052555153018976267, -8, 0));
  const Tensor root = run_one("y = Pow(a, b)", {Tensor::from<int32_t>({1}, {9}), Tensor::from<float>({1}, {0.5F})});
  EXPECT_EQ(root.type(), DataType::Int32);
  EXPECT_THAT(integers(root), ElementsAre(3));
}

TEST(BitShift, OfSignedNumbersKeepsTheSign) {
  const Tensor a = Tensor::from<int8_t>({5}, {-8, 7, -1, -8, 64}), b = Tensor::from<int8_t>({5}, {1, 1, 8, -1, 2});
  EXPECT_THAT(integers(run_one("y = BitShift<direction = \"RIGHT\">(a, b)", {a, b}, {28})),
              ElementsAre(-4, 3, -1, -1, 16));
  EXPECT_THAT(integers(run_one("y = BitShift<direction = \"LEFT\">(a, b)", {a, b}, {28})),
              ElementsAre(-16, 14, 0, 0, 0));
  EXPECT_THROW(run_one("y = BitShift<direction = \"LEFT\">(a, b)", {a, b}, {27}), Error);
}

TEST(Mod, GivesZeroTheSignOfTheDivisor) {
  const Tensor a = Tensor::from<float>({4}, {-4, 4, -0.0F, 5}), b = Tensor::from<float>({4}, {2, -2, 3, -INFINITY});
  const std::vector<float> y = values(run_one("y = Mod(a, b)", {a, b}, {28}));
  EXPECT_THAT(y, ElementsAre(0, 0, 0, -INFINITY));
  EXPECT_FALSE(std::signbit(y[0]));
  EXPECT_TRUE(std::signbit(y[1]));
  EXPECT_FALSE(std::signbit(y[2]));
  EXPECT_TRUE(std::isnan(values(run_one("y = Mod(a, b)", {a, Tensor::from<float>({1}, {0})}, {28}))[0]));
}

TEST(FloatClass, KnowsFloatsOfOneByte) {
  const Tensor bits = Tensor::from<uint8_t>({5}, {0x7C, 0xFC, 0x7D, 0x7F, 0x80});
  const auto marks = [&](const std::string& node, DataType type) {
    return integers(run_one(node, {bits.reinterpreted(type)}, {20}));
  };
  EXPECT_THAT(marks("y = IsNaN(a)", DataType::Float8E5M2), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(marks("y = IsInf(a)", DataType::Float8E5M2), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(marks("y = IsInf<detect_negative = 0>(a)", DataType::Float8E5M2), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(marks("y = IsNaN(a)", DataType::Float8E4M3FN), ElementsAre(0, 0, 0, 1, 0));
  EXPECT_THAT(marks("y = IsInf(a)", DataType::Float8E4M3FN), ElementsAre(0, 0, 0, 0, 0));
  EXPECT_THAT(marks("y = IsNaN(a)", DataType::Float8E5M2FNUZ), ElementsAre(0, 0, 0, 0, 1));
}

TEST(Pow, KeepsTheTypeOfTheBaseNextToAHalf) {
  const Tensor half = cast(Tensor::from<float>({1}, {2}), DataType::Float16);
  EXPECT_THAT(values(run_one("y = Pow(a, b)", {Tensor::from<float>({1}, {3}), half})), ElementsAre(9));
  EXPECT_EQ(run_one("y = Pow(a, b)", {Tensor::from<int32_t>({1}, {3}), half}).type(), DataType::Int32);
  EXPECT_EQ(run_one("y = Pow(a, b)", {half, half}).type(), DataType::Float16);
  EXPECT_EQ(run_one("y = Pow(a, b)", {half, test::int64s({2})}).type(), DataType::Float16);
}

TEST(Clip, LeavesNotANumberInADouble) {
  const Tensor a = Tensor::from<double>({3}, {NAN, 5, -5}), low = Tensor::scalar(-1.0), high = Tensor::scalar(1.0);
  const Tensor y = run_one("y = Clip(a, b, c)", {a, low, high});
  EXPECT_TRUE(std::isnan(y.data<double>()[0]));
  EXPECT_EQ(y.data<double>()[1], 1);
  EXPECT_EQ(y.data<double>()[2], -1);
  EXPECT_TRUE(std::isnan(run_one("y = Max(a, b)", {high, a}).data<double>()[0]));
}

TEST(Erf, OfAnIntegerIsCutToOne) {
  const Tensor a = Tensor::from<int32_t>({4}, {-9, -1, 0, 9});
  EXPECT_THAT(integers(run_one("y = Erf(a)", {a})), ElementsAre(-1, 0, 0, 1));
}

}  // namespace
}  // namespace detent
