#pragma once

#include <cstdint>

namespace detent {

/// A form in which an engine wants operators, and which computes the same. prepare/forms has the change.
enum class OperatorForm : uint8_t {
  Float32,              ///< values of 16-bit floats become FP32; graph inputs and outputs keep their types
  FiniteMasks,          ///< -inf in constants, which no codes have, is -1e30
  NearMasks,            ///< masks of attention add -50 at least, of which Softmax makes no denormal number
  DefaultActivations,   ///< LSTM and GRU do not write out the activations that they have anyway
  GeluOperator,         ///< GELU in primitives with Erf is one Gelu
  BoundedActivations,   ///< Softplus, Mish, Swish and others do not compute exponentials as values
  DivisionOfOne,        ///< Reciprocal(x) is 1 / x
  DifferenceOfNumber,   ///< x + c with one number is x - (-c)
  SumOfProducts,        ///< ReduceSumSquare(x) is ReduceSum(x * x)
  RemainderByDivision,  ///< Mod of integers is a difference
  OperandsInPairs,     ///< Sum, Max and Min have two operands, and a Mean of several values is their sum times a number
  MaximumOfNumber,     ///< a Clip from above 0 on is Max, and Min
  PlainAverages,       ///< AveragePool with stride = window counts no padding and averages even windows by twos
  NeutralStatistics,   ///< a BatchNormalization has mean 0 and variance 1 - epsilon
  PlanePooling,        ///< a MaxPool over three axes is one over two and one over the first
  MatrixProduct,       ///< a product of a vector is one of a matrix with one row
  PlainGemm,           ///< alpha and beta of a Gemm are 1: its constants are multiplied by them
  EarlyStrides,        ///< strides of 1x1 Convs stand further up: in another Conv, or in a MaxPool
  FixedSizes,          ///< sizes that the graph computes although it fixes them are constants
  BatchFirst,          ///< projections of attention read the batch as first axis, not behind a Transpose
  FlatMlps,            ///< two linear layers with an activation between read three axes, not four
  ShuffleProducts,     ///< a channel shuffle between 1x1 Convs is part of them, or a 1x1 Conv that picks channels
  ExplicitNorms,       ///< LayerNormalization writes out its axis and epsilon
  NarrowStrides,       ///< strides of a Conv of an image are 7 at most: windows of patches are taken in two steps
  SignalPatches,       ///< a Conv of a signal with wide strides reads the elements of a stride as channels
  NarrowWindows,       ///< windows of a Conv have 16 rows and columns at most: wider ones are sums
  MaskedScores,        ///< scores of attention without a mask have one of zeros
  NonzeroBiases,       ///< the bias of a product is not zero everywhere
  ReducedPlanes,       ///< GlobalAveragePool is ReduceMean of 7 x 7 at most, behind a Conv that averages parts
  LastSteps,           ///< the last state of a GRU or RNN is taken of all steps where those are not read
  OutputsApart,        ///< nodes read no graph output: that is a copy of what they read
  NamedOutputs,        ///< LSTM, GRU and RNN leave out no output by an empty name
  FocusConvs,          ///< a Conv of pixels that Slices take for their place in a patch has strides instead
  ConvPerOperand,      ///< a Conv of few outputs behind a Concat is a sum of Convs
  PlainDeconvolution,  ///< a ConvTranspose has no dilations, and groups only if each has one channel
};

}  // namespace detent
