#include "core/memory_limit.h"

#include <gmock/gmock.h>

#include "core/memory_limit_guard.h"
#include "core/stop.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "detent/base/tensor.h"

namespace detent {
namespace {

using test::MemoryLimit;
using ::testing::HasSubstr;

template <class Work>
std::string refusal_of_memory(Work&& work, ErrorCode code = ErrorCode::InvalidData) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "accepted";
}

TEST(ParseMemory, TakesBytesAndSuffixesOfPowersOfAThousand) {
  EXPECT_EQ(parse_memory("123"), 123U);
  EXPECT_EQ(parse_memory("10K"), 10'000U);
  EXPECT_EQ(parse_memory("10M"), 10'000'000U);
  EXPECT_EQ(parse_memory("3G"), 3'000'000'000U);
}

TEST(ParseMemory, RefusesWhatIsNoSize) {
  for (const char* text : {"", "M", "-1", "1.5G", "10MB", "10 M", "0", "0G", "99999999999999999999", "72057595G"})
    EXPECT_THAT(refusal_of_memory([&] { static_cast<void>(parse_memory(text)); }, ErrorCode::Usage),
                HasSubstr("is no size"))
        << text;
}

TEST(MemoryText, HasOneDecimalAndChangesItsUnitWhereItRounds) {
  EXPECT_EQ(memory_text(0), "0 bytes");
  EXPECT_EQ(memory_text(999), "999 bytes");
  EXPECT_EQ(memory_text(1000), "1.0 kB");
  EXPECT_EQ(memory_text(999'949), "999.9 kB");
  EXPECT_EQ(memory_text(999'950), "1.0 MB");
  EXPECT_EQ(memory_text(4'000'000'000'000), "4.0 TB");
  EXPECT_EQ(memory_text(UINT64_MAX), "18.4 EB");
}

TEST(MemoryLimit, IsWhatIsFreeUntilItIsSet) {
  EXPECT_GT(memory_limit(), uint64_t{1} << 20) << "a machine that runs tests has a megabyte left";
  EXPECT_LE(memory_limit(), uint64_t{1} << 56);
  const MemoryLimit limit(1'000'000);
  EXPECT_EQ(memory_limit(), 1'000'000U);
}

TEST(MemoryLimit, RefusesATensorBeforeItIsThereAndNamesShapeAndBytes) {
  const MemoryLimit limit(1'000'000'000'000);
  EXPECT_EQ(refusal_of_memory([] {
              Tensor(DataType::Float32, {1 << 20, 1 << 20});
            }),
            "a float tensor of shape 1048576x1048576 takes 4.4 TB; the limit is 1.0 TB (--max-memory)");
  EXPECT_EQ(refusal_of_memory([] { Tensor(DataType::Float32, {100, 100}); }), "accepted");
}

TEST(MemoryLimit, CountsTensorsTogetherAndForgetsThoseThatAreGone) {
  const auto megabyte = [] { return Tensor(DataType::UInt8, {1'000'000}); };
  const Tensor one = megabyte();  // some kilobytes of other tests may be held besides
  const MemoryLimit limit(2'500'000);
  EXPECT_EQ(refusal_of_memory([&] { const Tensor two = megabyte(); }), "accepted");
  EXPECT_THAT(refusal_of_memory([&] {
                const Tensor two = megabyte();
                const Tensor three = megabyte();
              }),
              HasSubstr("are needed beside 2.0 MB that tensors hold; the limit is 2.5 MB"));
  EXPECT_EQ(refusal_of_memory([&] { const Tensor two = megabyte(); }), "accepted") << "what was refused is not counted";
}

TEST(MemoryLimit, StopsAtTheLimitItself) {
  const MemoryLimit limit(1000);
  EXPECT_EQ(refusal_of_memory([] { check_memory(1000, [] { return "a list"; }); }), "accepted");
  EXPECT_EQ(refusal_of_memory([] { check_memory(1001, [] { return "a list"; }); }),
            "a list takes 1.0 kB; the limit is 1.0 kB (--max-memory)");
}

TEST(StoppableBlocks, CoverEveryIndexOnce) {
  for (const size_t count : {size_t{0}, size_t{1}, size_t{65536}, size_t{65537}, size_t{200000}}) {
    size_t next = 0;
    in_stoppable_blocks(count, [&](size_t first, size_t last) {
      EXPECT_EQ(first, next);
      EXPECT_GT(last, first);
      next = last;
    });
    EXPECT_EQ(next, count);
  }
}

TEST(StoppableBlocks, EndSoonAfterCtrlC) {
  size_t seen = 0;
  const auto work = [&](size_t, size_t last) {
    seen = last;
    interrupted() = last >= 131072;
  };
  EXPECT_EQ(refusal_of_memory([&] { in_stoppable_blocks(1 << 20, work); }, ErrorCode::Interrupted), "interrupted");
  interrupted() = false;
  EXPECT_EQ(seen, 131072U);
}

}  // namespace
}  // namespace detent
