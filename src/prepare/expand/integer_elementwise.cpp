#include "prepare/expand/expanders.h"
#include "prepare/expand/pairs.h"

namespace detent::expand {

void expand_qlinear_binary(Body& body) {
  const std::string op_type = body.node().op_type == "QLinearAdd" ? "Add" : "Mul";
  const Name result = body.add(op_type, {dequantized(body, 0), dequantized(body, 3)});
  body.write(0, quantized(body, result, 6, 0));
}

void expand_qlinear_unary(Body& body) {
  const Name x = dequantized(body, 0);
  Name result;
  if (body.node().op_type == "QLinearLeakyRelu")
    result = body.add("LeakyRelu", {x}, {{"alpha", body.node().float_or("alpha", 0.01F)}});
  else
    result = body.add("Sigmoid", {x});
  body.write(0, quantized(body, result, 3, 0));
}

void expand_qlinear_concat(Body& body) {
  // Scale and zero point of the result, then codes, scale and zero point of each part.
  const size_t inputs = body.node().inputs.size();
  if (inputs < 5 || (inputs - 2) % 3 != 0) refuse("its inputs are not triples of codes, scale and zero point");
  Names parts;
  for (size_t slot = 2; slot + 2 < inputs; slot += 3) parts.push_back(dequantized(body, slot));
  const Name joined = concat(body, parts, body.node().int_or("axis", 0));
  body.write(0, quantized(body, joined, 0, 1));
}

void expand_qlinear_where(Body& body) {
  const Name chosen = body.add("Where", {body.input(0), dequantized(body, 1), dequantized(body, 4)});
  body.write(0, quantized(body, chosen, 7, 1));
}

}  // namespace detent::expand
