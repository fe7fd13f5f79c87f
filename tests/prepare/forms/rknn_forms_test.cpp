// Forms that Rockchip's compiler wants: the same outputs from other operators.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "prepare/engine_forms.h"

namespace detent {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

Tensor wave_for_rknn(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i * 37) % 101) / 50 - 1;
  return tensor;
}

/// Brings a model into the forms of a target, expects the same outputs and returns the operators.
std::vector<std::string> for_rknn(const std::string& text, const Shape& input, const char* target = "rknn",
                                  int opset = 17) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]> g " + text);
  const std::vector<Tensor> inputs{wave_for_rknn(input)};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target(target));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << text;
  std::vector<std::string> found;
  for (const Node& node : model.graph().nodes()) found.push_back(node.op_type);
  return found;
}

std::string pooled(const std::string& rows, const std::string& columns) {
  return "(float[2,3," + rows + "," + columns + "] x) => (float[2,3,1,1] y) { y = GlobalAveragePool (x) }";
}

TEST(ReducedPlanes, AMeanKeepsTheScaleOfItsOutput) {
  EXPECT_THAT(for_rknn(pooled("7", "4"), {2, 3, 7, 4}), ElementsAre("ReduceMean"));
  EXPECT_THAT(for_rknn(pooled("7", "4"), {2, 3, 7, 4}, "rknn", 18), ElementsAre("ReduceMean")) << "axes as an input";
  EXPECT_THAT(for_rknn(pooled("7", "4"), {2, 3, 7, 4}, "qnn"), ElementsAre("GlobalAveragePool"));
}

TEST(ReducedPlanes, ALargerPlaneIsAveragedInParts) {
  EXPECT_THAT(for_rknn(pooled("14", "14"), {2, 3, 14, 14}), ElementsAre("Conv", "ReduceMean"));
  EXPECT_THAT(for_rknn(pooled("13", "5"), {2, 3, 13, 5}), ElementsAre("Conv", "ReduceMean")) << "ends in zeros";
  EXPECT_THAT(for_rknn(pooled("50", "2"), {2, 3, 50, 2}), ElementsAre("GlobalAveragePool")) << "three steps";
}

std::string concat_of(int outputs, const std::string& tail = "", const std::string& more = "") {
  std::string numbers;
  for (int i = 0; i < outputs * 16; ++i) numbers += (i ? ", " : "") + std::to_string((i * 29) % 17 - 8);
  const std::string m = std::to_string(outputs);
  return "(float[1,8,4,4] x) => (float[1," + m + ",4,4] y" + more + ") <float[" + m + ",16,1,1] w = {" + numbers +
         "}> { a = Relu (x)  b = Neg (x)  c = Concat <axis = 1> (a, b)  y = Conv (c, w) " + tail + "}";
}

TEST(ConvPerOperand, FewOutputsOfAConcatAreSums) {
  EXPECT_THAT(for_rknn(concat_of(7), {1, 8, 4, 4}), ElementsAre("Relu", "Neg", "Conv", "Conv", "Add"));
  EXPECT_THAT(for_rknn(concat_of(8), {1, 8, 4, 4}), Contains("Concat")) << "a sum costs as much";
  EXPECT_THAT(for_rknn(concat_of(7), {1, 8, 4, 4}, "qnn"), Contains("Concat"));
}

TEST(ConvPerOperand, AConcatThatIsReadElsewhereStays) {
  EXPECT_THAT(for_rknn(concat_of(7, "z = Relu (c)", ", float[1,16,4,4] z"), {1, 8, 4, 4}), Contains("Concat"));
  EXPECT_THAT(for_rknn(concat_of(7, "", ", float[1,16,4,4] c"), {1, 8, 4, 4}), Contains("Concat"));
}

std::string recurrent(const std::string& outputs) {
  return "(float[2,1,2] x) => (float[2,1,1,1] y) <float[1,4,2] w = {.1, .2, .3, .4, .5, .6, .7, .8}, float[1,4,1] r = "
         "{.1, .2, .3, .4}> { " +
         outputs + " = LSTM <hidden_size = 1> (x, w, r) }";
}

/// Returns the outputs that the first node names, empty ones too.
size_t outputs_in_rknn(const std::string& text) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g " + text);
  const std::vector<Tensor> inputs{wave_for_rknn({2, 1, 2})};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target("rknn"));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << text;
  const Node& node = model.graph().nodes().front();
  for (size_t i = 0; i < node.outputs.size(); ++i) EXPECT_TRUE(node.outputs[i]) << i;
  return node.outputs.size();
}

TEST(NamedOutputs, NoOutputIsLeftOutByAnEmptyName) {
  EXPECT_EQ(outputs_in_rknn(recurrent("y, , ")), 1U);
  EXPECT_EQ(outputs_in_rknn(recurrent("y, , last")), 3U);
  EXPECT_EQ(outputs_in_rknn(recurrent("y, last")), 2U);
}

}  // namespace
}  // namespace detent
