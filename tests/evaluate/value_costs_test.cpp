#include "evaluate/value_costs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluate/float_network.h"
#include "evaluate/variants_of.h"
#include "exec/runnable_part.h"
#include "run/memory_source.h"

namespace detent {
namespace {

/// Returns the names of the costly values of the residual network, whose value 'd' has channels `spread` apart.
std::vector<std::string> costly(float spread, size_t most, double below_db) {
  const Model model = test::residual_network(spread);
  const MemorySource source(test::residual_samples(4));
  test::VariantsOf network(model, source, "tensorrt", {});
  const std::map<ValueId, Range> ranges = network.ranges.ranges_of(network.plan);
  const auto ends = model.graph().outputs();
  const std::vector<std::string> outputs = names_of(model.graph(), {ends.begin(), ends.end()});
  std::vector<std::string> names;
  double before = -HUGE_VAL;
  for (const ValueCost& cost : find_costly_values(
           {model, network.plan, ranges, network.format, outputs, source, network.settings, "test"}, most, below_db)) {
    names.push_back(model.graph().value(cost.value).name);
    EXPECT_LE(before, cost.sqnr_db);
    EXPECT_LT(cost.sqnr_db, below_db);
    before = cost.sqnr_db;
  }
  return names;
}

TEST(ValueCosts, BeginWithTheValueThatRuinsTheOutputs) {
  const auto names = costly(256, 3, HUGE_VAL);
  ASSERT_EQ(names.size(), 3U);
  EXPECT_EQ(names.front(), "d");
  EXPECT_EQ(costly(256, 1, HUGE_VAL).front(), "d");
}

TEST(ValueCosts, AreNoneWhereEachValueKeepsEnough) { EXPECT_TRUE(costly(1, 6, 20).empty()); }

}  // namespace
}  // namespace detent
