// A form that Rockchip's compiler wants: the same outputs, and no bias of zeros.
#include <gtest/gtest.h>

#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "prepare/engine_forms.h"

namespace detent {
namespace {

Tensor wave_for_bias(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i * 37) % 101) / 50 - 1;
  return tensor;
}

/// Brings a model into the forms of a target and expects the same outputs.
Model with_biases(const char* target, const std::string& text, const Shape& input) {
  Model model = parse_model_text("<ir_version: 8, opset_import: [\"\" : 17]> g " + text);
  const std::vector<Tensor> inputs{wave_for_bias(input)};
  const NamedOutputs before = outputs_of(model, inputs);
  (void)bring_into_forms(model, find_target(target));
  EXPECT_NO_THROW(check_same_outputs(before, model, inputs, "forms")) << text;
  return model;
}

float first_bias(const char* target, const std::string& numbers) {
  const Model model = with_biases(target,
                                  "(float[1,3,2] x) => (float[1,3,2] y) <float[2,2] w = {1, 2, 3, 4}, float[2] b = {" +
                                      numbers + "}> { p = MatMul (x, w)  s = Add (p, b)  y = Add (s, x) }",
                                  {1, 3, 2});
  return model.graph().constant(model.graph().nodes()[1].input(1))->data<float>()[0];
}

TEST(NonzeroBiases, ABiasIsNotZero) {
  EXPECT_EQ(first_bias("rknn", "0, 0"), -1e-6F);
  EXPECT_EQ(first_bias("rknn", "0, 1"), 0.0F) << "not all are";
  EXPECT_EQ(first_bias("qnn", "0, 0"), 0.0F);
}

}  // namespace
}  // namespace detent
