#include "prepare/expand/pairs.h"

namespace detent::expand {

Name dequantized(Body& body, const Name& codes, const Name& scale, const Name& zero) {
  return body.add("DequantizeLinear", {codes, scale, zero});
}

Name dequantized(Body& body, size_t slot) {
  return dequantized(body, body.input(slot), body.input(slot + 1), body.input(slot + 2));
}

Name quantized(Body& body, const Name& value, size_t scale, size_t codes) {
  Name zero = body.input(scale + 1);
  if (zero.empty()) zero = body.scalar(0, body.type(codes));
  return body.add("QuantizeLinear", {value, body.input(scale), zero});
}

}  // namespace detent::expand
