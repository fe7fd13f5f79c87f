#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "exec/executor.h"
#include "model/model.h"

namespace detent::test {

/// Returns small whole numbers: products and sums below 2^24 are exact in float, so results do not depend on the order
/// of summation and are compared for equality.
inline Tensor whole_numbers(const Shape& shape, uint32_t seed, int span = 4) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> pick(-span, span);
  Tensor tensor(DataType::Float32, shape);
  for (float& x : tensor.mutable_data<float>()) x = static_cast<float>(pick(generator));
  return tensor;
}

/// Returns "float[1,3,5,5]".
inline std::string text_type(const Tensor& tensor) {
  std::string text = std::string(name_of(tensor.type())) + "[";
  for (size_t i = 0; i < tensor.shape().rank(); ++i) text += (i ? "," : "") + std::to_string(tensor.shape()[i]);
  return text + "]";
}

/// Returns "{1, 2, 3}" for float tensors.
inline std::string text_values(const Tensor& tensor) {
  std::string text = "{";
  for (const float x : tensor.data<float>()) text += (text.size() > 1 ? ", " : "") + std::to_string(x);
  return text + "}";
}

/// Runs `y = CALL` where CALL names the tensors a, b, c ... in order. With `constant`, all except the first are
/// initializers.
inline Tensor run_node(const std::string& call, const std::vector<Tensor>& tensors, bool constant, int opset = 13) {
  std::string inputs;
  std::string initializers;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    if (i > 0 && constant)
      initializers +=
          (initializers.empty() ? "" : ", ") + text_type(tensors[i]) + " " + name + " = " + text_values(tensors[i]);
    else
      inputs += (inputs.empty() ? "" : ", ") + text_type(tensors[i]) + " " + name;
  }
  const std::string text = "<ir_version: 7, opset_import: [\"\" : " + std::to_string(opset) + "]>\ng (" + inputs +
                           ") => (float[N] y)" + (initializers.empty() ? "" : " <" + initializers + ">") +
                           " { y = " + call + " }";
  const Model model = parse_model_text(text);
  const std::vector<Tensor> fed = constant ? std::vector<Tensor>{tensors.front()} : tensors;
  return run_once(model.graph(), fed, model.graph().outputs()).front();
}

}  // namespace detent::test
