#include "model/graph/execution_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "detent/base/error.h"
#include "model/temporary_folder.h"

namespace detent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string described(int position) { return "node " + std::to_string(position); }

std::vector<int> order(const std::vector<std::vector<int>>& sources) { return execution_order(sources, described); }

std::string refusal_of_order(const std::vector<std::vector<int>>& sources) {
  const Error error = error_of<Error>([&] { static_cast<void>(order(sources)); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidModel);
  return error.what();
}

TEST(ExecutionOrder, LeavesAValidOrderAlone) {
  EXPECT_THAT(order({}), IsEmpty());
  EXPECT_THAT(order({{}, {0}, {}, {1, 0, 0}}), ElementsAre(0, 1, 2, 3)) << "a node may read another twice";
}

TEST(ExecutionOrder, MovesANodeBehindWhatItReads) {
  EXPECT_THAT(order({{2}, {}, {1}, {}}), ElementsAre(1, 2, 0, 3)) << "and no other node";
}

TEST(ExecutionOrder, RefusesACycleByNamesOfItsNodes) {
  EXPECT_EQ(refusal_of_order({{}, {1}}), "node 1 reads its own result");
  EXPECT_THAT(refusal_of_order({{}, {0, 2}, {1}}), HasSubstr("read each other's results: the graph has a cycle"));
  EXPECT_THAT(refusal_of_order({{1}, {2}, {1}}), testing::Not(HasSubstr("node 0")))
      << "it waits for a cycle, but is not in one";
}

}  // namespace
}  // namespace detent
