#include "prepare/expand/expanders.h"
#include "prepare/expand/pairs.h"

namespace detent::expand {

namespace {

std::vector<Attribute> without(const Node& node, std::string_view name) {
  std::vector<Attribute> kept;
  for (const Attribute& attribute : node.attributes)
    if (attribute.name != name) kept.push_back(attribute);
  return kept;
}

/// Applies `inner` to input 0, in the order of its channels.
template <class Inner>
Name in_own_layout(Body& body, const Inner& inner) {
  if (body.node().int_or("channels_last", 0) == 0) return inner(body.input(0));
  return in_channels_first(body, body.input(0), body.known_rank(0), inner);
}

}  // namespace

void expand_qlinear_conv(Body& body) {
  body.write(0, in_own_layout(body, [&](const Name& x) {
               Names inputs{x};
               for (size_t slot = 1; slot < 9; ++slot) inputs.push_back(body.input(slot));
               return body.add("QLinearConv", std::move(inputs), without(body.node(), "channels_last"));
             }));
}

void expand_qlinear_global_average_pool(Body& body) {
  body.write(0, in_own_layout(body, [&](const Name& x) {
               const Name mean = body.add("GlobalAveragePool", {dequantized(body, x, body.input(1), body.input(2))});
               return quantized(body, mean, 3, 0);
             }));
}

void expand_qlinear_average_pool(Body& body) {
  body.write(0, in_own_layout(body, [&](const Name& x) {
               const Name mean = body.add("AveragePool", {dequantized(body, x, body.input(1), body.input(2))},
                                          without(body.node(), "channels_last"));
               return quantized(body, mean, 3, 0);
             }));
}

void expand_qlinear_softmax(Body& body) {
  const Node& node = body.node();
  const int64_t axis = node.int_or("axis", -1);
  // Before opset 13 Softmax covered all axes from `axis` on: the same only for the last one.
  const bool one_axis = node.int_or("opset", 13) >= 13;
  const bool last = axis == -1 || (body.rank(0) && axis == static_cast<int64_t>(*body.rank(0)) - 1);
  if (!last && (!one_axis || body.opset() < 13))
    refuse("attribute axis=" + std::to_string(axis) + " of an old Softmax");
  const Name softmax = body.add("Softmax", {dequantized(body, 0)}, {{"axis", axis}});
  body.write(0, quantized(body, softmax, 3, 0));
}

void expand_nhwc_max_pool(Body& body) {
  body.write(0, in_channels_first(body, body.input(0), body.known_rank(0),
                                  [&](const Name& x) { return body.add("MaxPool", {x}, body.node().attributes); }));
}

void expand_qgemm(Body& body) {
  // The bias has the scale of both factors. Without a scale of the result it stays float.
  enum { A, AScale, AZero, B, BScale, BZero, C, YScale, YZero };
  const Node& node = body.node();
  const bool per_column = body.rank(BScale).value_or(0) == 1 && body.extent(BScale, 0) != 1;
  const bool transposed = node.int_or("transB", 0) != 0;
  const Name b =
      body.add("DequantizeLinear", {body.input(B), body.input(BScale), body.input(BZero)},
               per_column ? std::vector<Attribute>{{"axis", int64_t{transposed ? 0 : 1}}} : std::vector<Attribute>{});
  Name bias;
  if (body.reads(C)) {
    const Name scale = body.add("Mul", {body.input(AScale), body.input(BScale)});
    const Name floats = cast_to(body, body.input(C), DataType::Float32);
    bias = body.add("Mul", {floats, scale});
    if (const float alpha = node.float_or("alpha", 1); alpha != 1)
      bias = body.add("Mul", {bias, body.scalar(static_cast<double>(alpha), DataType::Float32)});
  }
  const Name product = body.add("Gemm", {dequantized(body, A), b, bias}, without(node, ""));
  if (!body.reads(YScale))
    body.write(0, product);
  else
    body.write(0, quantized(body, product, YScale, A));
}

namespace {

/// The integer product of A and B, scaled, plus a bias.
void write_scaled_product(Body& body, const Names& factors, const Name& scale, const Name& bias) {
  const Name product = cast_to(body, body.add("MatMulInteger", factors), DataType::Float32);
  const Name result = body.add("Mul", {product, scale});
  body.write(0, bias.empty() ? result : body.add("Add", {result, bias}));
}

}  // namespace

void expand_dynamic_quantize_matmul(Body& body) {
  // A's scale and zero point come from its smallest and largest element.
  const Name codes = body.add("DynamicQuantizeLinear", {body.input(0)});
  const Name a_scale = body.further_output("scale");
  const Name a_zero = body.further_output("zero_point");
  write_scaled_product(body, {codes, body.input(1), a_zero, body.input(3)}, body.add("Mul", {a_scale, body.input(2)}),
                       body.input(4));
}

void expand_matmul_integer_to_float(Body& body) {
  write_scaled_product(body, {body.input(0), body.input(1), body.input(4), body.input(5)},
                       body.add("Mul", {body.input(2), body.input(3)}), body.input(6));
}

}  // namespace detent::expand
