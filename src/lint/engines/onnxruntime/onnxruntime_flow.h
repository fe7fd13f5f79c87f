#pragma once

#include <optional>
#include <vector>

#include "lint/view/pair_view.h"

namespace detent {

// How ONNX Runtime interprets the pairs and copies around a layer. Tried in ONNX Runtime 1.30, CPU,
// optimizedModelFilePath.

/// True for copies that ONNX Runtime moves a pair across: one pair, before or behind, makes them integer. Flatten is
/// not such a copy.
[[nodiscard]] bool moves_pairs(const GraphFacts& facts, const PlacementDraft& draft, NodeId node);

/// Returns the pair of an input: at the slot, before copies that a pair moves across (Reshape but not Flatten,
/// Transpose, Slice, MaxPool), or for a Conv before its Pad. nullptr when there is none.
[[nodiscard]] const QuantizedOperand* pair_in_front(const PairView& view, NodeId layer, int slot);

/// Returns the pair of the layer's data.
[[nodiscard]] const QuantizedOperand* input_pair(const PairView& view, NodeId layer);

/// Returns the type of the codes that a kernel reads: the engine turns an INT8 pair of one reader into UINT8, and
/// inserts a new pair when copies (other than Pad) stand between. Conv and MatMul have kernels for UINT8 only; QGemm
/// has both.
enum class PairPlace : uint8_t { AtKernel, BeyondCopies };
[[nodiscard]] DataType engine_codes(const PairView& view, const QuantizedOperand& pair, PairPlace place);

/// The bias of a product: the engine merges MatMul and Add into one Gemm before it looks for pairs.
struct ProductBias {
  NodeId node{};  ///< the Gemm, or the Add behind the MatMul
  int slot = 0;
  ValueId output{};       ///< output of the Gemm
  size_t rank = 0;        ///< of the constant; 0 when it is not constant
  bool reshaped = false;  ///< a Reshape stands behind the Gemm
};
/// Returns nullopt for a product without bias, and for other operators.
[[nodiscard]] std::optional<ProductBias> product_bias(const PairView& view, NodeId product);

/// Returns the readers of a value as the engine counts them: all DequantizeLinear of one QuantizeLinear are one.
[[nodiscard]] size_t engine_readers(const PairView& view, MaybeValue value);

/// True when the pair's QuantizeLinear has exactly one DequantizeLinear with one reader.
[[nodiscard]] bool has_one_reader(const PairView& view, const QuantizedOperand& operand);

/// Returns the pairs behind the output of an integer kernel: on every reading of `value`, or behind the copies that
/// alone read it. Empty: some node reads floats, or the pairs differ.
[[nodiscard]] std::vector<const QuantizedOperand*> closing_pairs(const PairView& view, MaybeValue value);

}  // namespace detent
