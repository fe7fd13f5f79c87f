#pragma once

#include <string>

#include "model/model.h"
#include "ops/find_operator.h"

namespace detent::test {

/// Makes codes of type `type` with zero point `zero` in front of a Conv of 2 x 4 channels, and codes of its weights;
/// `rest` reads its output c, the floats d of its data or w of its weights.
inline Model coded_network(const std::string& rest, const std::string& type = "int8", const std::string& zero = "0") {
  return parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (float[1,4,6,6] x) => (float[A,B,C,D] y)\n"
      "<float s = {0.05}, " +
      type + " z = {" + zero +
      "}, float[2] t = {0.5, 0.25},\n"
      " int8[2] o = {0, 0}, int8[2,4,1,1] codes = {1, -2, 3, -4, 5, -6, 127, -128}>\n"
      "{ q = QuantizeLinear (x, s, z)  d = DequantizeLinear (q, s, z)\n"
      "  w = DequantizeLinear <axis = 0> (codes, t, o)  c = Conv (d, w)  " +
      rest + " }");
}

/// Returns its input.
inline Tensor ramp() {
  Tensor x(DataType::Float32, {1, 4, 6, 6});
  float next = -6;
  for (float& one : x.mutable_data<float>()) one = next += 0.0625F;
  return x;
}

/// True when this processor has 8-bit dot products, without which a Conv between pairs does not sum codes.
inline bool sums_codes() {
  const Model model = coded_network("y = Relu (c)");
  const Node& conv = *model.graph().producer(*model.graph().find_value("c"));
  return find_operator("", "Conv", 17)->sums_codes({model.graph(), conv, 17});
}

}  // namespace detent::test
