#include "core/process/early_end.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/files/child_process.h"
#include "detent/base/progress.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using Reason = EarlyEnd::Reason;

/// Works until something stops it; returns the error.
Error work_until_stopped() {
  return error_of<Error>([] {
    for (;;) {
      stop_if_interrupted();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

constexpr double kSoon = 0.02;  // seconds

/// Sets the flag of Ctrl-C while it lives.
struct Interrupted {
  Interrupted() { interrupted() = true; }
  ~Interrupted() { interrupted() = false; }
};

TEST(EarlyEnd, TheTimeLimitStopsTheWorkAndLetsItFinish) {
  EarlyEnd early(kSoon);
  early.begin();
  const Error error = work_until_stopped();
  EXPECT_EQ(error.code(), ErrorCode::Interrupted);
  EXPECT_FALSE(is_ending_early());
  EXPECT_TRUE(ends_early(error));
  EXPECT_EQ(early.reason(), Reason::TimeLimit);
  EXPECT_STREQ(early_end_text(), "time limit");
  stop_if_interrupted();  // the rest runs to its end
}

TEST(EarlyEnd, TheLimitHoldsBetweenBeginAndClose) {
  EarlyEnd early(kSoon);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  stop_if_interrupted();
  early.begin();
  EXPECT_TRUE(stop_requested()) << "the time is up";
  early.close();
  stop_if_interrupted();
  EXPECT_FALSE(is_ending_early());
}

TEST(EarlyEnd, WithoutALimitNothingEnds) {
  const EarlyEnd early(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  stop_if_interrupted();
  EXPECT_STREQ(early_end_text(), "");
}

TEST(EarlyEnd, OtherErrorsAreNoEnd) {
  EarlyEnd early(kSoon);
  early.begin();
  static_cast<void>(work_until_stopped());
  EXPECT_FALSE(ends_early(Error(ErrorCode::InvalidData, "x")));
  EXPECT_FALSE(is_ending_early());
}

TEST(EarlyEnd, AnInterruptionIsOneOnceThereIsAResult) {
  EarlyEnd early(0);
  const Interrupted flag;
  EXPECT_FALSE(ends_early(work_until_stopped())) << "there is nothing to finish";
  early.take_interruptions();
  EXPECT_TRUE(ends_early(work_until_stopped()));
  EXPECT_STREQ(early_end_text(), "interrupted");
  stop_if_interrupted();
}

TEST(EarlyEnd, TheCallersEndIsNone) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope caller(token);
  EarlyEnd early(0);
  early.take_interruptions();
  source.request_stop();
  EXPECT_FALSE(ends_early(work_until_stopped()));
  EXPECT_TRUE(stop_requested());
}

TEST(EarlyEnd, ASecondOneBelowChangesNothing) {
  EarlyEnd outer(kSoon);
  outer.begin();
  {
    const EarlyEnd inner(1000);
    EXPECT_EQ(EarlyEnd::current(), &outer);
    EXPECT_TRUE(ends_early(work_until_stopped()));
  }
  EXPECT_EQ(outer.reason(), Reason::TimeLimit);
}

TEST(EarlyEnd, NothingStopsAChangeButItsCaller) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope caller(token);
  EarlyEnd early(kSoon);
  early.begin();
  const Unstopped change;
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  EXPECT_FALSE(stop_requested()) << "the time is up";
  source.request_stop();
  EXPECT_TRUE(stop_requested());
}

TEST(EarlyEnd, AnInterruptionStopsAChangeWithoutAResultToFinish) {
  EarlyEnd early(kSoon);
  early.begin();
  const Unstopped whole;
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  EXPECT_FALSE(stop_requested()) << "the time is up";
  const Interrupted flag;
  EXPECT_TRUE(stop_requested());
}

TEST(EarlyEnd, NothingAtAllStopsAChangeWithAResultToFinish) {
  EarlyEnd early(0);
  early.take_interruptions();
  const Unstopped change;
  const Interrupted flag;
  EXPECT_FALSE(stop_requested());
  std::thread([stop = caller_stop()] {
    const StopScope scope(stop);
    EXPECT_FALSE(stop_requested());
  }).join();
}

TEST(EarlyEnd, WithoutOneOnlyTheCallerStopsAChange) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope caller(token);
  const Unstopped change;
  EXPECT_FALSE(stop_requested());
  source.request_stop();
  EXPECT_TRUE(stop_requested());
}

TEST(EarlyEnd, TheCallerStopsWhatFinishesBehindATimeLimit) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope caller(token);
  EarlyEnd early(kSoon);
  early.begin();
  ASSERT_TRUE(ends_early(work_until_stopped()));
  EXPECT_FALSE(stop_requested());
  source.request_stop();
  EXPECT_TRUE(stop_requested());
  EXPECT_FALSE(ends_early(work_until_stopped())) << "the caller wants no result";
}

TEST(EarlyEnd, WorkThatEndsEarlyIsDoneAllTheSame) {
  EarlyEnd early(kSoon);
  early.begin();
  int runs = 0;
  const int result = done_all_the_same([&] {
    if (++runs == 1) throw work_until_stopped();
    stop_if_interrupted();
    return runs;
  });
  EXPECT_EQ(result, 2);
  EXPECT_TRUE(is_ending_early());
  EXPECT_THROW(static_cast<void>(done_all_the_same([]() -> int { throw Error(ErrorCode::InvalidData, "x"); })), Error);
}

}  // namespace
}  // namespace detent
