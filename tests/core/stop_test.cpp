#include "core/stop.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/files/child_process.h"
#include "detent/base/error.h"
#include "detent/base/progress.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

TEST(Stop, IsAskedForByTheTokenOfTheScopeAloneWhileItLasts) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  EXPECT_FALSE(stop_requested());
  {
    const StopScope scope(token);
    EXPECT_FALSE(stop_requested());
    source.request_stop();
    EXPECT_TRUE(stop_requested());
    EXPECT_EQ(error_of<Error>(stop_if_interrupted).code(), ErrorCode::Interrupted);
  }
  EXPECT_FALSE(stop_requested());
  stop_if_interrupted();
}

TEST(Stop, AScopeInsideAnotherIsForItsOwnCaller) {
  std::stop_source outer_source;
  std::stop_source inner_source;
  const std::stop_token outer_token = outer_source.get_token();
  const std::stop_token inner_token = inner_source.get_token();
  const StopScope outer(outer_token);
  {
    const StopScope inner(inner_token);
    outer_source.request_stop();
    EXPECT_FALSE(stop_requested());
  }
  EXPECT_TRUE(stop_requested());
}

TEST(Stop, ATokenThatNobodyCanAskLeavesTheOuterOne) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const std::stop_token none;
  const StopScope outer(token);
  const StopScope inner(none);
  source.request_stop();
  EXPECT_TRUE(stop_requested());
}

TEST(Stop, ReachesAnotherThreadThroughTheTokenOfTheCaller) {
  std::stop_source source;
  source.request_stop();
  const std::stop_token token = source.get_token();
  const StopScope scope(token);
  bool bare = true;
  bool told = false;
  std::jthread([&bare, &told, stop = caller_stop()] {
    bare = stop_requested();
    const StopScope here(stop);
    told = stop_requested();
  }).join();
  EXPECT_FALSE(bare);
  EXPECT_TRUE(told);
}

TEST(Stop, CtrlCIsForEveryThread) {
  const std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope scope(token);
  interrupted() = true;
  EXPECT_TRUE(stop_requested());
  bool seen = false;
  std::jthread([&] { seen = stop_requested(); }).join();
  interrupted() = false;
  EXPECT_TRUE(seen);
  EXPECT_FALSE(stop_requested());
}

TEST(Stop, EndsACommandThatWasStarted) {
  std::stop_source source;
  const std::stop_token token = source.get_token();
  const StopScope scope(token);
  source.request_stop();
  const Error error =
      error_of<Error>([&] { static_cast<void>(run_command("sleep 60; :")); });  // or the test lasts a minute
  EXPECT_EQ(error.code(), ErrorCode::Interrupted);
}

}  // namespace
}  // namespace detent
