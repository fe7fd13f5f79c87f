#include <gtest/gtest.h>

#include <string>

#include "model/model.h"
#include "place/draft/draft.h"
#include "place/engines/target.h"
#include "place/engines/tensorrt/rules.h"
#include "place/make_plan.h"
#include "place/rules/rules.h"

namespace detent::test {
namespace {

std::string pool_between_convs() {
  std::string weights = "1";
  for (int i = 1; i < 16 * 16 * 9; ++i) weights += ",1";
  return R"(<ir_version: 8, opset_import: ["" : 17]>
  g (float[1,16,8,8] x) => (float[1,16,4,4] y) <float[16,16,3,3] w = {)" +
         weights + R"(}> {
    a = Conv <pads = [1,1,1,1]> (x, w)
    p = AveragePool <kernel_shape = [2,2], strides = [2,2]> (a)
    y = Conv <pads = [1,1,1,1]> (p, w)
  })";
}

class Overruled : public testing::Test {
 protected:
  const Model model_ = parse_model_text(pool_between_convs());
  const Graph& graph_ = model_.graph();
  const NodeId pool_ = graph_.producer(graph_.find_value("p"))->id;
};

TEST_F(Overruled, AFloatEdgeNamesTheRuleThatWouldHavePutAPairThere) {
  const PlacementRequest options{{{.exclude_op = {"AveragePool"}}}};
  PlacementPlan plan = make_placement_plan(graph_, default_target(), options);
  name_overruled(plan, graph_, options, {}, {});
  const EdgeDecision* edge = plan.find_edge(pool_, 0);
  ASSERT_NE(edge, nullptr);
  EXPECT_FALSE(edge->reads_pair());
  EXPECT_EQ(edge->rule, &rules::kUserChoice);
  EXPECT_EQ(edge->overruled, &rules::tensorrt::kPoolingAndElementwise);
}

TEST_F(Overruled, NoRuleLosesWithoutAMark) {
  PlacementPlan plan = make_placement_plan(graph_, default_target(), {});
  name_overruled(plan, graph_, {}, {}, {});
  for (const EdgeDecision& edge : plan.edges) EXPECT_EQ(edge.overruled, nullptr) << edge.reason;
}

TEST_F(Overruled, ADraftRemembersTheFirstRuleThatWantedTheOpposite) {
  const GraphFacts facts(graph_, default_target());
  const PlacementRequest options;
  PlacementDraft draft(facts, options);
  draft.begin_rule(&rules::kFusedActivation);
  draft.keep_float(pool_, 0, "first");
  draft.begin_rule(&rules::tensorrt::kResidualAdd);
  draft.pair(pool_, 0, "second");
  draft.begin_rule(&rules::tensorrt::kConcat);
  draft.pair(pool_, 0, "third");
  const EdgeDecision edge = *draft.finish({}).find_edge(pool_, 0);
  EXPECT_EQ(edge.rule, &rules::kFusedActivation);
  EXPECT_EQ(edge.overruled, &rules::tensorrt::kResidualAdd);
}

}  // namespace
}  // namespace detent::test
