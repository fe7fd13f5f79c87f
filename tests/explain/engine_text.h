#pragma once

#include <string>
#include <vector>

#include "explain/engine.h"

namespace detent {

inline constexpr const char* kLinear = "Row major linear FP32";
inline constexpr const char* kHalf8 = "Channel major FP16 format where channel % 8 == 0";
inline constexpr const char* kCodes = "Thirty-two wide channel vectorized row major Int8 format";

/// A Conv of TensorRT with INT8 weights.
inline EngineLayer int8_conv(const std::string& name, std::vector<EngineTensor> inputs, EngineTensor output) {
  return {.name = name,
          .type = "CaskConvolution",
          .weights = "Int8",
          .inputs = std::move(inputs),
          .outputs = {std::move(output)}};
}

/// A QuantizeLinear or DequantizeLinear of TensorRT by itself.
inline EngineLayer pair_node(const std::string& name, EngineTensor input, EngineTensor output) {
  return {
      .name = name, .type = "Reformat", .origin = "QDQ", .inputs = {std::move(input)}, .outputs = {std::move(output)}};
}

/// A reformat that the builder put in.
inline EngineLayer reformat(EngineTensor input, EngineTensor output) {
  return {.name = "Reformatting CopyNode for Input Tensor 0 to X",
          .type = "Reformat",
          .origin = "REFORMAT",
          .inputs = {std::move(input)},
          .outputs = {std::move(output)}};
}

/// A layer of another type.
inline EngineLayer plain_layer(const std::string& type, const std::string& name, std::vector<EngineTensor> inputs,
                               EngineTensor output) {
  return {.name = name, .type = type, .inputs = std::move(inputs), .outputs = {std::move(output)}};
}

}  // namespace detent
