#include "run/for_each_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <vector>

#include "core/stop.h"

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

TEST(ForEachIndex, EveryThreadWorksForTheCallerOfTheFirst) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope scope(token);
  source.request_stop();
  constexpr size_t kThreads = 3;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> told{0};
  for_each_index(kThreads, kThreads, [&](size_t) {
    told += stop_requested();
    {
      const std::scoped_lock lock(mutex);
      threads.insert(std::this_thread::get_id());
    }
    for (bool all = false; !all; std::this_thread::yield()) {  // or one thread might take every index
      const std::scoped_lock lock(mutex);
      all = threads.size() == kThreads;
    }
  });
  EXPECT_EQ(told.load(), static_cast<int>(kThreads));
}

}  // namespace
}  // namespace detent
