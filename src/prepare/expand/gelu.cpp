#include <numbers>

#include "prepare/expand/expanders.h"
#include "prepare/expand/parts.h"

namespace detent::expand {

namespace {

/// 0.5 x (1 + erf(x / sqrt(2))), as exporters write it; engines know the pattern.
Name gelu(Body& body, const Name& x, DataType type) {
  const Name erf = body.add("Erf", {body.add("Div", {x, body.scalar(std::numbers::sqrt2, type)})});
  const Name gate = body.add("Add", {erf, body.scalar(1, type)});
  return body.add("Mul", {body.add("Mul", {x, gate}), body.scalar(0.5, type)});
}

/// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
Name tanh_gelu(Body& body, const Name& x, DataType type) {
  constexpr double kRoot = 0.7978845608028654, kCubic = 0.044715;
  const Name cube = body.add("Pow", {x, body.scalar(3, type)});
  const Name inner = body.add("Add", {x, body.add("Mul", {cube, body.scalar(kCubic, type)})});
  const Name tanh = body.add("Tanh", {body.add("Mul", {inner, body.scalar(kRoot, type)})});
  const Name gate = body.add("Add", {tanh, body.scalar(1, type)});
  return body.add("Mul", {body.add("Mul", {x, body.scalar(0.5, type)}), gate});
}

Name biased(Body& body) { return body.reads(1) ? body.add("Add", {body.input(0), body.input(1)}) : body.input(0); }

}  // namespace

void expand_gelu(Body& body) { body.write(0, gelu(body, body.input(0), body.type(0))); }

void expand_bias_gelu(Body& body) { body.write(0, gelu(body, biased(body), body.type(0))); }

void expand_fast_gelu(Body& body) { body.write(0, tanh_gelu(body, biased(body), body.type(0))); }

void expand_quick_gelu(Body& body) {
  const Name x = body.input(0);
  const float alpha = body.node().float_or("alpha", 1.702F);
  const Name scaled = alpha == 1 ? x : body.add("Mul", {x, body.scalar(static_cast<double>(alpha), body.type(0))});
  body.write(0, body.add("Mul", {x, body.add("Sigmoid", {scaled})}));
}

}  // namespace detent::expand
