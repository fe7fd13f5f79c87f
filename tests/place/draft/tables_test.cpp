#include "place/draft/tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/model.h"
#include "place/engines/target.h"
#include "place/weights_plan.h"

namespace detent {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string constant(const std::string& shape, int elements, const std::string& name) {
  std::string text = "float[" + shape + "] " + name + " = {1";
  for (int i = 1; i < elements; ++i) text += ",1";
  return text + "}";
}

/// Returns a graph with constants of 64 rows of 16 numbers, called t and u.
Model network(const std::string& nodes, const std::string& shape = "64,16", int elements = 1024) {
  return parse_model_text(R"(<ir_version: 10, opset_import: ["" : 21]>
    g (int64[4] ids, float[64,16] x, bool[64,16] b) => (float[64,16] y, float[4,16] z) <)" +
                          constant(shape, elements, "t") + ", " + constant(shape, elements, "u") + "> {" + nodes + "}");
}

std::vector<TableDecision> tables(const Model& model, const NodeChoice& options = {}) {
  return make_weights_plan(model.graph(), find_target("onnxruntime"), options, {}).tables;
}

std::vector<std::string> table_names(const Model& model, const NodeChoice& options = {}) {
  std::vector<std::string> found;
  for (const TableDecision& table : tables(model, options)) found.push_back(model.graph().value(table.value).name);
  return found;
}

TEST(Tables, AreWhatGatherTakesRowsOf) {
  const Model model = network("z = Gather (t, ids) y = Identity (x)");
  ASSERT_THAT(table_names(model), ElementsAre("t"));
  EXPECT_TRUE(tables(model)[0].gathered);
  EXPECT_FALSE(tables(model)[0].exact) << "embeddings may be rounded";
  EXPECT_THAT(table_names(network("z = Gather <axis = 1> (t, ids) y = Identity (x)")), IsEmpty()) << "columns";
}

TEST(Tables, ArePositionsThatAreAdded) {
  const Model model = network("y = Add (x, t) z = Gather (x, ids)");
  ASSERT_THAT(table_names(model), ElementsAre("t"));
  EXPECT_FALSE(tables(model)[0].gathered);
  EXPECT_FALSE(tables(model)[0].exact);
}

TEST(Tables, AreOtherConstantsWhereCodesGiveBackEveryNumber) {
  const Model model = network("m = Mul (x, t) y = Where (b, m, u) z = Gather (x, ids)");
  ASSERT_THAT(table_names(model), ElementsAre("t", "u"));
  EXPECT_TRUE(tables(model)[0].exact) << "a factor";
  EXPECT_TRUE(tables(model)[1].exact) << "what a mask puts in";
  const Model vector = network("y = Add (x, t) z = Gather (x, ids)", "1024,1", 1024);
  EXPECT_TRUE(tables(vector)[0].exact) << "a bias: one number a row";
}

TEST(Tables, HaveNoReaderButThese) {
  EXPECT_THAT(table_names(network("y = Div (x, t) z = Gather (t, ids)")), IsEmpty())
      << "a divisor stays as precise as it is";
  EXPECT_THAT(table_names(network("w = Transpose (t) p = MatMul (x, w) z = Gather (t, ids) y = Add (x, x)")), IsEmpty())
      << "a product behind a Transpose, as long as weights were not put in rows";
}

TEST(Tables, StayFloatWhereAProductReadsTheRowsDirectly) {
  EXPECT_THAT(table_names(network("r = Gather (t, ids) w = Transpose (x) p = MatMul (r, w) z = Relu (r) y = Relu (x)")),
              IsEmpty());
  EXPECT_THAT(table_names(network("r = Gather (t, ids) z = Relu (r) w = Transpose (x) p = MatMul (z, w) y = Relu (x)")),
              ElementsAre("t"));
}

TEST(Tables, OfSomeReadersThatGatherAndOthersThatAddAreReadWhole) {
  const Model model = network("y = Add (x, t) z = Gather (t, ids)");
  ASSERT_EQ(tables(model).size(), 1U);
  EXPECT_FALSE(tables(model)[0].gathered);
  EXPECT_TRUE(tables(model)[0].exact);
}

TEST(Tables, AreNotSmallOrFlat) {
  EXPECT_THAT(table_names(network("z = Gather (t, ids) y = Identity (x)", "63,16", 63 * 16)), IsEmpty());
  EXPECT_THAT(table_names(network("z = Gather (t, ids) y = Identity (x)", "3,512", 3 * 512)), IsEmpty())
      << "scales would take more than codes save";
  EXPECT_THAT(table_names(network("z = Gather (t, ids) y = Identity (x)", "4,256", 1024)), ElementsAre("t"));
}

TEST(Tables, StayFloatForAReaderThatTheUserExcludes) {
  const Model model = network("z = Gather (t, ids) y = Add (x, u)");
  EXPECT_THAT(table_names(model), ElementsAre("t", "u"));
  NodeChoice options;
  options.exclude_op = {"Gather"};
  EXPECT_THAT(table_names(model, options), ElementsAre("u"));
  options = {};
  options.exclude = {"^Add_1$"};
  EXPECT_THAT(table_names(model, options), ElementsAre("t"));
}

}  // namespace
}  // namespace detent
