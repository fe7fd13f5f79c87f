// A form that Rockchip's compiler wants: the same outputs, and the operators that are left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "prepare/engine_forms.h"

namespace detent {
namespace {

using ::testing::ElementsAre;

Tensor waves_of(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i * 37) % 101) / 50 - 1;
  return tensor;
}

/// Brings a model into the forms of a target and expects the same outputs.
Model formed(const char* target, const std::string& text, const Shape& input) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g " + text);
  const std::vector<Tensor> inputs{waves_of(input)};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target(target));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << text;
  return model;
}

/// Returns the operators that become of a Conv with this window. Its weights differ from place to place.
std::vector<std::string> patch_convs(const char* target, int rows, int columns, const std::string& attributes) {
  std::string numbers;
  for (int i = 0; i < 3 * 2 * rows * columns; ++i) numbers += (i > 0 ? "," : "") + std::to_string((i * 7) % 11);
  const std::string window = std::to_string(rows) + "," + std::to_string(columns);
  const Model model = formed(target,
                             "(float[1,2,16,30] x) => (float[1,3,n,m] y) <float[3,2," + window + "] w = {" + numbers +
                                 "}, float[3] b = {1, 2, 3}> { y = Conv <" + attributes + "> (x, w, b) }",
                             {1, 2, 16, 30});
  std::vector<std::string> found;
  for (const Node& node : model.graph().nodes()) found.push_back(node.op_type);
  return found;
}

TEST(NarrowStrides, PatchesOfAnImageAreTakenInTwoSteps) {
  EXPECT_THAT(patch_convs("rknn", 8, 15, "strides = [8,15]"), ElementsAre("Conv", "Conv"));
  EXPECT_THAT(patch_convs("rknn", 2, 14, "strides = [2,14]"), ElementsAre("Conv", "Conv"));
}

TEST(NarrowStrides, OtherWindowsStay) {
  EXPECT_THAT(patch_convs("rknn", 7, 7, "strides = [7,7]"), ElementsAre("Conv"));
  EXPECT_THAT(patch_convs("rknn", 8, 15, "strides = [8,8]"), ElementsAre("Conv")) << "they overlap";
  EXPECT_THAT(patch_convs("rknn", 8, 11, "strides = [8,11]"), ElementsAre("Conv")) << "11 has no divisor";
  EXPECT_THAT(patch_convs("rknn", 8, 15, "strides = [8,15], pads = [1,0,0,0]"), ElementsAre("Conv"));
  EXPECT_THAT(patch_convs("qnn", 8, 15, "strides = [8,15]"), ElementsAre("Conv"));
}

}  // namespace
}  // namespace detent
