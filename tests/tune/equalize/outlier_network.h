#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluate/float_network.h"

namespace detent::test {

/// Rows of 16 numbers through three layers. Channel 5 of d, behind the first two and in front of the third, is
/// `outlier` times as large as the others, and the third layer weighs it as many times less.
inline Model outlier_network(float outlier, const std::string& behind = "y = MatMul (d, w2)") {
  Model model = parse_model_text(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 8, 16] x) => (float[N, 8, C] y)
<float[1] w0 = {0}, float[1] w1 = {0}, float[1] w2 = {0}, float[1] k = {0}>
{
  h = MatMul (x, w0)
  s = Tanh (h)
  u = MatMul (x, w1)
  d = Mul (s, u)
  )" + behind + "\n}");
  Numbers numbers(5);
  GraphPatch patch;
  patch.reason = "weights of the test";
  for (const char* name : {"w0", "w1", "w2"}) {
    Tensor weight = numbers.tensor({16, 16});
    const auto elements = weight.mutable_data<float>();
    for (size_t i = 0; i < 16 && name != std::string("w0"); ++i) {
      float& element = name == std::string("w1") ? elements[i * 16 + 5] : elements[5 * 16 + i];
      element *= name == std::string("w1") ? outlier : 1 / outlier;
    }
    patch.replace_constants.emplace_back(name, std::move(weight));
  }
  patch.replace_constants.emplace_back("k", numbers.tensor({1, 16, 1}));  // of a Conv in `behind`
  apply_patch(model, patch);
  return model;
}

inline std::vector<Tensor> rows(size_t samples) {
  std::vector<Tensor> all;
  for (size_t i = 0; i < samples; ++i) all.push_back(Numbers(static_cast<uint32_t>(i) + 1).tensor({1, 8, 16}));
  return all;
}

}  // namespace detent::test
