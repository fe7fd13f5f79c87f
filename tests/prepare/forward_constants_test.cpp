#include "prepare/forward_constants.h"

#include <gtest/gtest.h>

#include "model/model.h"

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
  return graph.value(graph.producer(graph.find_value(output))->input(slot)).name;
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
  EXPECT_EQ(model.graph().producer(model.graph().find_value("kept"))->op_type, "Identity");
}

TEST(ForwardConstants, AnIdentityOfAnActivationStays) {
  Model model = parse_model_text(R"(
    <ir_version: 8, opset_import: ["" : 14]>
    g (float[1,2] x) => (float[1,2] y) { i = Identity (x)  y = Relu (i) })");
  EXPECT_EQ(forward_constants(model), 0U);
  EXPECT_EQ(model.graph().nodes().size(), 2U);
}

}  // namespace
}  // namespace detent
