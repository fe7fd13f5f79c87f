#include "prepare/plain_nodes.h"

#include <gtest/gtest.h>

namespace detent {
namespace {

constexpr const char* kShared = R"(
<ir_version: 8, opset_import: ["" : 14]>
g (float[1,2] x) => (float[1,2] y, float[2] kept) <float[2] b = {1, 2}>
{
  b1 = Identity (b)
  b2 = Identity (b1)
  a = Add (x, b1)
  y = Mul (a, b2)
  kept = Identity (b)
})";

std::string reads(const Graph& graph, const char* output, size_t slot) {
  return graph.value(*graph.producer(graph.find_value(output))->input(slot)).name;
}

TEST(ForwardConstants, ReadersReadTheConstantThroughAnyNumberOfIdentities) {
  Model model = parse_model_text(kShared);
  EXPECT_EQ(forward_constants(model), 2U);
  EXPECT_EQ(reads(model.graph(), "a", 1), "b");
  EXPECT_EQ(reads(model.graph(), "y", 1), "b");
  EXPECT_EQ(model.graph().nodes().size(), 3U);
}

TEST(ForwardConstants, AnIdentityThatWritesAGraphOutputStays) {
  Model model = parse_model_text(kShared);
  (void)forward_constants(model);
  EXPECT_EQ(model.graph().producer(*model.graph().find_value("kept"))->op_type, "Identity");
}

TEST(ForwardConstants, AnIdentityOfAnActivationStays) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[1,2] x) => (float[1,2] y) { i = Identity (x)  y = Relu (i) })");
  EXPECT_EQ(forward_constants(model), 0U);
  EXPECT_EQ(model.graph().nodes().size(), 2U);
}

constexpr const char* kDropouts = R"(
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,2] x) => (float[1,2] y, bool[1,2] mask)
<float none = {0}, float half = {0.5}, bool training = {1}>
{
  a = Dropout (x, none, training)
  b = Dropout (a, none, training)
  c, mask = Dropout (b, none, training)
  y = Dropout (c, half, training)
})";

// PyTorch 1.13 writes a Dropout of ratio 0 in training mode, which TensorRT's parser refuses.
TEST(ForwardEmptyDropouts, LeavesOutThoseOfRatioZeroWhoseMaskNothingReads) {
  Model model = parse_model_text(kDropouts);
  EXPECT_EQ(forward_empty_dropouts(model), 2U);
  EXPECT_EQ(reads(model.graph(), "c", 0), "x");
  EXPECT_EQ(reads(model.graph(), "y", 0), "c");
}

constexpr const char* kSums = R"(
<ir_version: 8, opset_import: ["" : 13]>
g (float[1,2] a, float[2] b) => (float[1,2] y)
{
  s = Sum (a, b)
  t = Sum (s, a, b)
  u = Sum (t)
  y = Relu (u)
})";

TEST(SumsOfTwo, BecomeAnAddUnderTheSameName) {
  Model model = parse_model_text(kSums);
  const std::string name = model.graph().producer(*model.graph().find_value("s"))->name;
  EXPECT_EQ(make_adds_of_sums(model), 1U);
  const Node* add = model.graph().producer(*model.graph().find_value("s"));
  EXPECT_EQ(add->op_type, "Add");
  EXPECT_EQ(add->name, name);
  EXPECT_EQ(add->inputs.size(), 2U);
}

TEST(SumsOfTwo, SumsOfOneAndThreeStay) {
  Model model = parse_model_text(kSums);
  (void)make_adds_of_sums(model);
  for (const char* value : {"t", "u"})
    EXPECT_EQ(model.graph().producer(*model.graph().find_value(value))->op_type, "Sum");
}

TEST(ReplaceCastLike, TakesTheTypeThatTheSecondInputHas) {
  Model model = parse_model_text(R"(
<ir_version: 8, opset_import: ["" : 19]>
g (float[2] x, float16[2] h) => (float16[2] y)
{
  a = Neg (h)
  y = CastLike <saturate = 0> (x, a)
})");
  EXPECT_EQ(replace_cast_likes(model), 1U);
  const Node& cast = *model.graph().producer(*model.graph().find_value("y"));
  EXPECT_EQ(cast.op_type, "Cast");
  EXPECT_EQ(cast.inputs.size(), 1U);
  EXPECT_EQ(cast.int_or("to", 0), 10);
  EXPECT_EQ(cast.int_or("saturate", 1), 0);
}

TEST(ReplaceCastLike, LeavesWhatHasNoKnownTypeAndOtherOperators) {
  Model model = parse_model_text(R"(
<ir_version: 8, opset_import: ["" : 19, "other" : 1]>
g (float[2] x) => (y, z)
{
  u = other.Op (x)
  y = CastLike (x, u)
  z = other.CastLike (x, x)
})");
  EXPECT_EQ(replace_cast_likes(model), 0U);
  EXPECT_EQ(model.graph().producer(*model.graph().find_value("y"))->op_type, "CastLike");
}

TEST(LeaveOutUnreadStates, OnlyTheReadOutputsKeepNames) {
  Model model = parse_model_text(R"(
<ir_version: 8, opset_import: ["" : 17]>
g (float[5,2,4] x, float[1,32,4] w, float[1,32,8] r, float[1,24,8] v, float[1,24,8] u)
  => (float[5,1,2,8] y, float[1,2,8] c)
{
  a, h, c = LSTM <hidden_size = 8> (x, w, r)
  q = Squeeze (a)
  y, last = GRU <hidden_size = 8> (q, v, u)
})");
  EXPECT_EQ(leave_out_unread_states(model), 2U);
  const Graph& graph = model.graph();
  EXPECT_EQ(graph.find_value("h"), kNoValue);
  EXPECT_EQ(graph.find_value("last"), kNoValue);
  EXPECT_EQ(graph.nodes()[0].output(2), *graph.find_value("c"));
  EXPECT_EQ(leave_out_unread_states(model), 0U);
}

}  // namespace
}  // namespace detent
