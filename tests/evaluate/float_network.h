#pragma once

#include <string>
#include <vector>

#include "model/graph_patch.h"
#include "model/model.h"

namespace detent::test {

/// Numbers in [-1, 1) that repeat for a seed.
class Numbers {
 public:
  explicit Numbers(uint32_t seed) : state_(seed) {}
  float next() {
    state_ = state_ * 1664525U + 1013904223U;
    return static_cast<float>(state_ >> 8) / static_cast<float>(1U << 23) - 1.0F;
  }
  Tensor tensor(const Shape& shape, float scale = 1) {
    Tensor result(DataType::Float32, shape);
    for (float& x : result.mutable_data<float>()) x = scale * next();
    return result;
  }

 private:
  uint32_t state_;
};

/// A residual network of five convolutions with 16 channels:
///
///   x -> stem -> Relu -+-> left -> Relu -> right -> Add -> Relu -> wide -> Relu -> head -> y
///                      +----------------------------^
///
/// spread  channel 0 of the input of `wide` is this many times larger than the others, and `wide` weighs it as many
///         times less: one scale for all channels leaves few steps for the others. 1: all layers are alike.
/// depthwise  `wide` is a depthwise Conv with 1.5 % of the multiplications
inline Model residual_network(float spread, bool depthwise = false) {
  std::string text = R"(<ir_version: 8, opset_import: ["" : 13]>
g (float[N, 16, 8, 8] x) => (float[N, 16, 8, 8] y)
<float[1] w0 = {0}, float[1] w1 = {0}, float[1] w2 = {0}, float[1] w3 = {0}, float[1] w4 = {0}, float[1] g = {0}>
{
  s = Conv <pads = [1, 1, 1, 1]> (x, w0)
  a = Relu (s)
  l = Conv <pads = [1, 1, 1, 1]> (a, w1)
  b = Relu (l)
  r = Conv <pads = [1, 1, 1, 1]> (b, w2)
  sum = Add (r, a)
  c = Relu (sum)
  d = Mul (c, g)
  w = Conv <pads = [1, 1, 1, 1], group = GROUPS> (d, w3)
  e = Relu (w)
  y = Conv <pads = [1, 1, 1, 1]> (e, w4)
})";
  text.replace(text.find("GROUPS"), 6, depthwise ? "16" : "1");
  Model model = parse_model_text(text);
  const Shape shape{16, 16, 3, 3};
  const float scale = 1.0F / 12;  // of a sum of 144 products: keeps the magnitude
  Numbers numbers(7);
  GraphPatch patch;
  patch.reason = "weights of the test";
  for (const char* name : {"w0", "w1", "w2", "w3", "w4"})
    patch.replace_constants.emplace_back(name, numbers.tensor(shape, 2 * scale));
  Tensor gains(DataType::Float32, Shape{1, 16, 1, 1});
  for (float& gain : gains.mutable_data<float>()) gain = 1;
  gains.mutable_data<float>()[0] = spread;
  Tensor& wide = patch.replace_constants[3].second;
  if (depthwise) wide = numbers.tensor({16, 1, 3, 3}, 2.0F / 3);
  for (int64_t o = 0; o < (depthwise ? 1 : 16); ++o)
    for (int64_t k = 0; k < 9; ++k) wide.mutable_data<float>()[static_cast<size_t>(o * 144 + k)] /= spread;
  patch.replace_constants.emplace_back("g", gains);
  apply_patch(model, patch);
  return model;
}

inline std::vector<Tensor> residual_samples(size_t count) {
  Numbers numbers(11);
  std::vector<Tensor> samples;
  for (size_t i = 0; i < count; ++i) samples.push_back(numbers.tensor({1, 16, 8, 8}));
  return samples;
}

}  // namespace detent::test
