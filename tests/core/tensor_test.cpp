// Tests of the shapes that a tensor may have.

#include "detent/base/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/memory_limit_guard.h"

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

TEST(Tensor, MayBeEmptyBesideExtentsThatAFullOneMayHave) {
  const test::MemoryLimit limit(12'000'000);
  const Tensor empty(DataType::Float32, {1'000'000, 0, 3});
  EXPECT_EQ(empty.element_count(), 0);
  EXPECT_EQ(empty.reshaped({0, 3'000'000}).shape()[1], 3'000'000);
  EXPECT_EQ(
      refusal_of([&] {
        (void)empty.reshaped({0, 3'000'001});
      }),
      "a float tensor of shape 0x3000001, its zeros left out, takes 12.0 MB; the limit is 12.0 MB (--max-memory)");
  EXPECT_EQ(
      refusal_of([] {
        Tensor(DataType::Float32, {kHuge, 0});
      }),
      "a float tensor of shape 1099511627776x0, its zeros left out, takes 4.4 TB; the limit is 12.0 MB (--max-memory)");
}

TEST(Tensor, HasNoNegativeExtentEvenBesideA0) {
  EXPECT_EQ(refusal_of([] { Tensor(DataType::Int8, Shape{0, -1}); }), "a tensor cannot have the shape 0x-1");
}

TEST(Tensor, IsMadeInTheFormOfItsHandle) {
  const Tensor late = Tensor::deferred(DataType::Float32, {2, 6}, [] {
    return Tensor::from<float>({2, 6}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  });
  const Tensor reshaped = late.reshaped({3, 4, 1}).made();
  EXPECT_EQ(reshaped.shape(), (Shape{3, 4, 1}));
  EXPECT_EQ(reshaped.data<float>()[11], 11);
  EXPECT_EQ(late.reinterpreted(DataType::Int32).made().type(), DataType::Int32);
  const Tensor pixels = late.reshaped({12, 1, 1}).relabelled(Layout::ChannelsLast);
  EXPECT_EQ(pixels.made().layout(), Layout::ChannelsLast);
  EXPECT_EQ(late.made().shape(), (Shape{2, 6}));
  EXPECT_EQ(late.reshaped({12}).slice0(3, 5).data<float>()[1], 4);
}

TEST(HeapAllocator, KeepsAFreedBlockForTheNextOfItsSize) {
  constexpr int64_t kBytes = 100'000;
  const auto place_of_new = [](int64_t bytes) {
    const Tensor tensor(DataType::UInt8, {bytes});
    return tensor.raw();
  };
  const void* const first = place_of_new(kBytes);
  EXPECT_EQ(place_of_new(kBytes), first);
  {
    const Tensor small(DataType::UInt8, {kBytes / 2});
    EXPECT_NE(small.raw(), first) << "half of the block would be wasted";
  }
  EXPECT_EQ(place_of_new(kBytes - kBytes / 8), first);
}

TEST(HeapAllocator, GivesBackWhatItKeepsWhereTheLimitLeavesNoOtherRoom) {
  const uint64_t held = held_memory();
  { const Tensor freed(DataType::UInt8, {400'000}); }
  const test::MemoryLimit limit(held + 500'000);
  EXPECT_NO_THROW(Tensor(DataType::UInt8, {200'000}));
  EXPECT_THROW(Tensor(DataType::UInt8, {static_cast<int64_t>(held) + 600'000}), Error);
}

}  // namespace
}  // namespace detent
