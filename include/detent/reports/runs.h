#pragma once

#include <cstdint>
#include <string_view>

#include "detent/options/code_type.h"

namespace detent {

/// How a layer runs, or a block of attention.
enum class Runs : uint8_t {
  Float,
  Rounded,  ///< float in the engine, although it has pairs and a quantized weight (O10, O12)
  Int8,
  Fp8,
  A16W8,   ///< with 16-bit activations, in a plan of such codes or beside layers of 8 bits (H6)
  Dynamic  ///< INT8; its data get their scale and codes at run time (O13)
};
[[nodiscard]] constexpr bool on_codes(Runs runs) { return runs != Runs::Float && runs != Runs::Rounded; }
/// Returns how a layer runs on codes of the type.
[[nodiscard]] constexpr Runs runs_on(CodeType type) {
  return type == CodeType::Fp8 ? Runs::Fp8 : type == CodeType::A16W8 ? Runs::A16W8 : Runs::Int8;
}
/// Returns the type of the codes that it runs on; of on_codes() only.
[[nodiscard]] constexpr CodeType codes_of(Runs runs) {
  return runs == Runs::Fp8 ? CodeType::Fp8 : runs == Runs::A16W8 ? CodeType::A16W8 : CodeType::Int8;
}
/// Returns "INT8", "FP8", "A16W8", "dynamic" or "float".
[[nodiscard]] constexpr std::string_view name_of(Runs runs) {
  return !on_codes(runs) ? "float" : runs == Runs::Dynamic ? "dynamic" : name_of(codes_of(runs));
}

/// How an input of a node reads its value.
enum class Reads : uint8_t {
  Float,
  Pair,        ///< the DequantizeLinear of the value's pair
  SecondPair,  ///< the same of a pair behind it, whose codes have the other width: 16 bits instead of 8, or back
  Dynamic      ///< the float, which the node quantizes at run time
};
[[nodiscard]] constexpr bool is_pair(Reads reads) { return reads == Reads::Pair || reads == Reads::SecondPair; }
/// Returns "pair", "dynamic" or "float".
[[nodiscard]] constexpr std::string_view name_of(Reads reads) {
  return is_pair(reads) ? "pair" : reads == Reads::Dynamic ? "dynamic" : "float";
}

}  // namespace detent
