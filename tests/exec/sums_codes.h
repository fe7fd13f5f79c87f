#pragma once

#include "model/model.h"
#include "ops/find_operator.h"

namespace detent::test {

/// Whether this processor has 8-bit dot products: only then a Conv between pairs sums codes.
inline bool sums_codes() {
  const Model model = parse_model_text(
      "<ir_version: 8, opset_import: [\"\" : 17]> g (int8[1,1,2,2] q) => (float[A,B,C,D] c)\n"
      "<float s = {0.5}, int8 z = {0}, int8[1,1,1,1] codes = {1}>\n"
      "{ d = DequantizeLinear (q, s, z)  w = DequantizeLinear (codes, s, z)  c = Conv (d, w) }");
  const Node& conv = *model.graph().producer(model.graph().find_value("c"));
  return find_operator("", "Conv", 17)->reads_codes({model.graph(), conv, 17});
}

}  // namespace detent::test
