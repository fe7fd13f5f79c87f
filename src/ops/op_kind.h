#pragma once

#include <cstdint>

namespace detent {

/// The kind of an operator, as quantization sees it. Rules of several engines go by kinds. Code that tells operators of
/// one kind apart goes by their names, and so do the tables of engines.
enum class OpKind : uint8_t {
  Other,
  Conv,
  ConvTranspose,
  Gemm,
  MatMul,  // may be weighted ops
  Relu,
  LeakyRelu,
  PRelu,
  Clip,
  Sigmoid,
  HardSigmoid,
  HardSwish,
  Silu,
  Tanh,
  OtherActivation,
  Gelu,
  Softmax,
  LogSoftmax,
  Add,
  Mul,
  Sub,
  Div,
  Pow,
  Sqrt,
  Log,
  Abs,
  Min,
  Max,
  Where,
  OtherElementwise,
  Concat,
  Split,
  MaxPool,
  AveragePool,
  GlobalAveragePool,
  ReduceMean,
  ReduceSum,
  ReduceSumSquare,
  ReduceL2,
  OtherReduction,
  Resize,
  Reshape,  // Reshape, Flatten, Squeeze, Unsqueeze, Identity: same elements in the same order
  Transpose,
  Slice,
  Gather,
  GatherND,
  Tile,
  Expand,
  Pad,
  DepthToSpace,
  SpaceToDepth,
  BatchNorm,
  LayerNorm,
  InstanceNorm,
  GroupNorm,
  OtherNorm,
  ShapeOf,
  Constant,
  Cast,
  QuantizeLinear,
  DequantizeLinear,
  QOperator,  // QLinear*, *Integer, DynamicQuantizeLinear
  Fourier,    // STFT, DFT
  Sequence,   // makes a sequence or an optional
};

/// True for nonlinear functions of one value, element by element, that stand behind a layer. GELU and PRelu are not
/// among them: engines run them separately.
[[nodiscard]] bool is_activation(OpKind kind);

/// True for activations that take an exponential. Behind a convolution they are a pass of Detent's own over what it
/// wrote, in FP32 to the bit as separate nodes.
[[nodiscard]] bool is_exponential(OpKind kind);

/// True for operators that compute an output element from the elements of all inputs at its place, except activations
/// and GELU.
[[nodiscard]] bool is_arithmetic(OpKind kind);

/// The axis of a weight tensor that counts output channels.
enum class WeightAxis : uint8_t { None, First, Second, GemmOutput, Last };

/// Quantization facts about an operator, engine-independent.
struct OpTraits {
  OpKind kind = OpKind::Other;
  bool commutes = false;  ///< Q(op(x)) == op(Q(x)) for a per-tensor Q: a pair may move across it unchanged
  int weight_slot = -1;   ///< input slot that makes it a weighted op when constant
  int bias_slot = -1;
  WeightAxis weight_axis = WeightAxis::None;
  int data_inputs = -1;  ///< how many leading inputs carry data (the rest are shapes, axes, bounds); -1 = all
};

}  // namespace detent
