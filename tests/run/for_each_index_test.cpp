#include "run/for_each_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace detent {
namespace {

TEST(ForEachIndex, CallsEveryIndexOnceForAnyNumberOfThreads) {
  for (const size_t threads : {1, 2, 7}) {
    std::vector<std::atomic<int>> calls(100);
    for_each_index(calls.size(), threads, [&](size_t i) { ++calls[i]; });
    for (const auto& count : calls) EXPECT_EQ(count.load(), 1);
  }
}

TEST(ForEachIndex, DoesNothingForNoIndex) {
  for_each_index(0, 4, [](size_t) { FAIL() << "called"; });
}

TEST(ForEachIndex, ThrowsWhatTheWorkThrew) {
  EXPECT_THROW(for_each_index(50, 3,
                              [](size_t i) {
                                if (i == 10) throw std::runtime_error("ten");
                              }),
               std::runtime_error);
}

}  // namespace
}  // namespace detent
