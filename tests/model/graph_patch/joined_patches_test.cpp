#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/graph_patch.h"
#include "model/model.h"
#include "tests/model/onnx_protos.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

GraphPatch replacing(const std::string& reason, const std::string& constant, float value) {
  GraphPatch patch;
  patch.reason = reason;
  patch.replace_constants.emplace_back(constant, Tensor::scalar(value));
  return patch;
}

float joined_constant(const Model& model, const char* name) {
  const Graph& graph = model.graph();
  return graph.constant(graph.find_value(name))->data<float>()[0];
}

Model sum_and_product() {
  return parse_model_text(R"(<ir_version: 7, opset_import: ["" : 13]>
g (float[N, 4] x) => (float[N, 4] y)
<float factor = {2}, float offset = {3}, float limit = {5}>
{ a = Mul (x, factor)  b = Add (a, offset)  y = Min (b, limit) })");
}

TEST(JoinedPatches, DoWhatBothDo) {
  Model model = sum_and_product();
  apply_patch(model, joined(replacing("round weights", "factor", 20), replacing("correct biases", "offset", 30)));
  EXPECT_EQ(joined_constant(model, "factor"), 20);
  EXPECT_EQ(joined_constant(model, "offset"), 30);
  EXPECT_EQ(joined_constant(model, "limit"), 5) << "of neither";
}

TEST(JoinedPatches, GiveTheModelThatOneAfterTheOtherGives) {
  const GraphPatch weights = replacing("round weights", "factor", 20);
  const GraphPatch biases = replacing("correct biases", "offset", 30);
  Model together = sum_and_product();
  apply_patch(together, joined(weights, biases));
  Model apart = sum_and_product();
  apply_patch(apart, weights);
  apply_patch(apart, biases);
  EXPECT_EQ(together.proto().SerializeAsString(), apart.proto().SerializeAsString());
}

TEST(JoinedPatches, KeepTheFirstReasonThatIsGiven) {
  const GraphPatch weights = replacing("round weights", "factor", 20);
  const GraphPatch biases = replacing("correct biases", "offset", 30);
  EXPECT_EQ(joined(weights, biases).reason, "round weights");
  EXPECT_EQ(joined({}, biases).reason, "correct biases");
}

TEST(JoinedPatches, OfOneAndNothingAreThatOne) {
  const GraphPatch weights = replacing("round weights", "factor", 20);
  for (const GraphPatch& patch : {joined(weights, {}), joined({}, weights)}) {
    ASSERT_EQ(patch.replace_constants.size(), 1U);
    EXPECT_EQ(patch.replace_constants[0].first, "factor");
    EXPECT_THAT(patch.replace_constants[0].second.data<float>(), ElementsAre(20));
  }
}

TEST(JoinedPatches, OfNothingAreEmpty) {
  EXPECT_TRUE(joined({}, {}).empty());
  EXPECT_FALSE(joined({}, replacing("correct biases", "offset", 30)).empty());
}

}  // namespace
}  // namespace detent
