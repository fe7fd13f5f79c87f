#pragma once

#include <optional>
#include <vector>

#include "lint/view/pair_view.h"

namespace detent {

// How ONNX Runtime sees the pairs and copies around a layer. Tried in ONNX Runtime 1.30, CPU, optimizedModelFilePath.

/// The pair that the layer's data comes in: its own, one in front of copies that a pair moves across (Reshape but not
/// Flatten, Transpose, Slice, MaxPool), or for a Conv one in front of its Pad. nullptr when there is none.
[[nodiscard]] const QuantizedOperand* input_pair(const PairView& view, NodeId layer);

/// Type of the codes that a kernel sees: the engine turns an INT8 pair of one reader into UINT8, and gives a kernel a
/// pair of its own where copies (other than Pad) stand between. Conv and MatMul have kernels for UINT8 only; QGemm has
/// both.
enum class PairPlace : uint8_t { AtKernel, BeyondCopies };
[[nodiscard]] DataType engine_codes(const PairView& view, const QuantizedOperand& pair, PairPlace place);

/// Where the engine reads the bias of a product: it makes one Gemm of MatMul and Add before it looks for pairs.
struct ProductBias {
  NodeId node = kNoNode;  ///< the Gemm, or the Add behind the MatMul
  int slot = 0;
  ValueId output = kNoValue;  ///< what the Gemm writes
  size_t rank = 0;            ///< of the constant; 0 when it is none
  bool reshaped = false;      ///< a Reshape stands behind the Gemm
};
/// nullopt for a product without bias, and for other operators.
[[nodiscard]] std::optional<ProductBias> product_bias(const PairView& view, NodeId product);

/// Readers of a value as the engine counts them: all DequantizeLinear of one QuantizeLinear are one.
[[nodiscard]] size_t engine_readers(const PairView& view, ValueId value);

/// The pair's QuantizeLinear has exactly one DequantizeLinear and that one reader.
[[nodiscard]] bool has_one_reader(const PairView& view, const QuantizedOperand& operand);

/// Pairs that close what an integer kernel writes: on every reading of `value`, or behind the copies that are its only
/// reader. Empty: somebody reads floats, or the pairs differ.
[[nodiscard]] std::vector<const QuantizedOperand*> closing_pairs(const PairView& view, ValueId value);

}  // namespace detent
