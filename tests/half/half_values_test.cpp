#include "half/half_values.h"

#include <gtest/gtest.h>

#include <limits>

#include "model/half_constants.h"
#include "run/memory_source.h"

namespace detent {
namespace {

/// x * factor * factor in FP16 and the values made of it, on two samples, the second one larger.
class Squared {
 public:
  explicit Squared(const std::string& factor)
      : model_(test::parse_half_model(R"(<ir_version: 8, opset_import: ["" : 17]>
          g (float16[N,2] x) => (float16[N,2] y) <float kf = {)" +
                                      factor + R"(}>
          { k = Cast <to = 10> (kf) u = Mul (x, k) v = Mul (u, k) w = Sub (v, v) y = Tanh (w) })")) {
    const auto half = [](std::vector<float> numbers) {
      return cast(Tensor::from<float>({1, 2}, numbers), DataType::Float16);
    };
    values_ = measure_half_values(model_.graph(), MemorySource({half({0.25F, -0.5F}), half({1, 0.5F})}), RunSettings{});
  }

  [[nodiscard]] const HalfValue& at(const std::string& name) const {
    return values_.at(*model_.graph().find_value(name));
  }
  [[nodiscard]] bool knows(const std::string& name) const { return values_.contains(*model_.graph().find_value(name)); }

 private:
  Model model_;
  HalfValues values_;
};

TEST(HalfValues, NamesWhereNumbersStopBeingFinite) {
  const Squared squared("300");  // 300 * 300 = 90000 exceeds 65504; its other values do not: 45000, 22500
  EXPECT_EQ(squared.at("u").amax, 300);
  EXPECT_EQ(squared.at("u").type, DataType::Float16);
  EXPECT_FALSE(squared.at("u").begins_here);
  EXPECT_EQ(squared.at("v").infinite, 1U);
  EXPECT_EQ(squared.at("v").nan, 0U);
  EXPECT_EQ(squared.at("v").amax, 44992) << "45000 in steps of 32";
  EXPECT_TRUE(squared.at("v").begins_here);
  EXPECT_EQ(squared.at("w").nan, 1U) << "Inf - Inf";
  EXPECT_FALSE(squared.at("w").begins_here) << "it read an Inf";
}

TEST(HalfValues, SaysNothingOfFiniteNumbers) {
  const Squared squared("30");
  for (const char* name : {"u", "v", "w", "y"}) {
    EXPECT_EQ(squared.at(name).infinite + squared.at(name).nan, 0U) << name;
    EXPECT_FALSE(squared.at(name).begins_here) << name;
  }
  EXPECT_EQ(squared.at("v").amax, 900);
}

TEST(HalfValues, LeavesInputsAndConstantsOut) {
  const Squared squared("30");
  EXPECT_FALSE(squared.knows("x"));
  EXPECT_FALSE(squared.knows("k"));
}

TEST(HalfValues, DoesNotBlameWhoReadsAnInfiniteConstant) {
  const Squared squared("70000");  // Inf in FP16
  EXPECT_GT(squared.at("u").infinite, 0U);
  EXPECT_FALSE(squared.at("u").begins_here);
}

}  // namespace
}  // namespace detent
