#pragma once

#include "place/engines/target.h"

namespace detent::tensorrt {

/// The parser of version 8.6. It looks for a plugin of the name of any other operator, and refuses the model without
/// one.
/// Source  github.com/onnx/onnx-tensorrt, branch 8.6-GA, docs/operators.md and builtin_op_importers.cpp,
///         DEFINE_BUILTIN_OP_IMPORTER
inline constexpr ParserFacts kParser8_6{
    .newest_opset = 17,
    .operators =
        " Abs Acos Acosh Add And ArgMax ArgMin Asin Asinh Atan Atanh AveragePool BatchNormalization Cast Ceil Celu Clip"
        " Concat Constant ConstantOfShape Conv ConvTranspose Cos Cosh CumSum DepthToSpace DequantizeLinear Div Dropout"
        " Einsum Elu Equal Erf Exp Expand EyeLike Flatten Floor GRU Gather GatherElements GatherND Gemm"
        " GlobalAveragePool GlobalLpPool GlobalMaxPool Greater GreaterOrEqual GridSample GroupNormalization HardSigmoid"
        " HardSwish Identity If InstanceNormalization IsInf IsNaN LRN LSTM LayerNormalization LeakyRelu Less "
        "LessOrEqual"
        " Log LogSoftmax Loop LpNormalization LpPool MatMul Max MaxPool Mean MeanVarianceNormalization Min Mod Mul Neg"
        " NonMaxSuppression NonZero Not OneHot Or PRelu Pad Pow QuantizeLinear RNN RandomNormal RandomNormalLike"
        " RandomUniform RandomUniformLike Range Reciprocal ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax"
        " ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare Relu Reshape Resize ReverseSequence RoiAlign Round"
        " Scan Scatter ScatterElements ScatterND Selu Shape Shrink Sigmoid Sign Sin Sinh Size Slice Softmax Softplus"
        " Softsign SpaceToDepth Split Sqrt Squeeze Sub Sum Tan Tanh ThresholdedRelu Tile TopK Transpose Trilu Unsqueeze"
        " Upsample Where Xor "};

}  // namespace detent::tensorrt
