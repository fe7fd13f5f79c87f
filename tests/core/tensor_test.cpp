// What shapes a tensor may have.

#include "detent/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace detent {
namespace {

constexpr int64_t kHuge = int64_t{1} << 40;

std::string refusal_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::InvalidData);
    return error.what();
  }
  return "";
}

TEST(Tensor, HasExtentsWhoseProductFitsMemoryWhereAnotherIs0) {
  const Shape hidden{kHuge, 0, kHuge};
  const Tensor empty(DataType::Float32, {0});
  for (const auto& make : std::vector<std::function<void()>>{
           [&] { Tensor(DataType::Float32, hidden); }, [&] { (void)Tensor::view(DataType::Float32, hidden, nullptr); },
           [&] { (void)Tensor::deferred(DataType::Float32, hidden, [] { return Tensor(); }); },
           [&] { (void)empty.reshaped(hidden); }})
    EXPECT_EQ(refusal_of(make), "a tensor of shape 1099511627776x0x1099511627776 fits no memory");
}

TEST(Tensor, MayBeEmptyBesideLargeExtents) {
  const Tensor empty(DataType::Float32, {kHuge, 0, 3});
  EXPECT_EQ(empty.element_count(), 0);
  EXPECT_EQ(empty.reshaped({0, kHuge}).shape()[1], kHuge);
}

TEST(Tensor, HasNoNegativeExtentEvenBesideA0) {
  EXPECT_EQ(refusal_of([] { Tensor(DataType::Int8, Shape{0, -1}); }), "a tensor cannot have the shape 0x-1");
}

}  // namespace
}  // namespace detent
