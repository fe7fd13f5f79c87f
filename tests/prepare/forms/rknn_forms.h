#pragma once

// Models in the forms that Rockchip's compiler wants.
#include <gtest/gtest.h>

#include "exec/same_outputs.h"
#include "place/engines/target.h"
#include "prepare/engine_forms.h"

namespace detent {

inline Tensor wave_for_rknn(const Shape& shape) {
  Tensor tensor(DataType::Float32, shape);
  const auto numbers = tensor.mutable_data<float>();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>((i * 37) % 101) / 50 - 1;
  return tensor;
}

/// Brings a model into the forms of a target, expects the same outputs and returns the operators.
inline std::vector<std::string> for_rknn(const std::string& text, const Shape& input, const char* target = "rknn",
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

}  // namespace detent
