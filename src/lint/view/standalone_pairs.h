#pragma once

#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace detent {

/// A QuantizeLinear or DequantizeLinear that TensorRT runs as a layer by itself.
struct StandalonePair {
  std::string node;
  std::string value;      ///< the value that its pair stands on; empty where the file reads codes as an input
  std::string reason;     ///< a clause: "'pool' (GlobalAveragePool) in front of it computes in float"
  bool shortcut = false;  ///< an Add with a shortcut without a pair is the cause
  std::vector<std::string> merged = {};  ///< quantizers of the same value and scales, of which TensorRT keeps one
};

/// Returns the nodes of activations' pairs that no layer takes in, in node order. `file` is the graph with its pairs.
/// Of quantizers of one value with equal scales the first is returned, and names the others: TensorRT merges them.
///
/// A quantizer becomes part of the layer in front of it, if that layer reads codes and no reader wants floats. A
/// dequantizer becomes part of the layer behind it, if that is weighted or writes codes.
/// Source  layers of TensorRT 8.4 and 8.5 for ResNet-18 and MobileNetV2 with pairs in several places.
[[nodiscard]] std::vector<StandalonePair> standalone_pairs(const Graph& file);

/// A weighted layer that reads codes.
struct Int8Product {
  std::string node;
  bool writes_codes = false;  ///< false: TensorRT lets it write floats
};

/// Returns the Conv, ConvTranspose, Gemm and MatMul that read codes, in node order, and what the layer around each of
/// them writes: codes, if all readers behind its Add and activation, or a MaxPool, are quantizers.
/// Source  as of standalone_pairs().
[[nodiscard]] std::vector<Int8Product> int8_products(const Graph& file);

}  // namespace detent
