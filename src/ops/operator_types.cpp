#include "ops/operator_types.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>
#include <utility>

#include "core/index.h"
#include "detent/base/error.h"
#include "ops/signature.h"

namespace detent {

namespace {

struct Row {
  std::string_view op_type, versions;
};

// One row an operator: "X Y -> Z; V=TYPES | 13: ..." gives the variables of inputs and outputs, then the types of each
// variable. Versions are divided by " | " and begin with their first opset (without one: 7 or older). A version repeats
// only what differs from the one before: the parameters, or variables with `=` (new set) or `+` (types that are added).
//
//   T*          the last parameter may repeat
//   T@to        the attribute `to` names the type of the output, or holds a tensor of it
//   T@dtype=X   without the attribute the type is that of variable X, or X itself
//
// A parameter whose name is a type has that type. Groups: any, number, int, float, signed, unsigned, fp8.
//
// Source: ONNX, docs/Changelog.md. Tests compare the rows with the schemas of libonnx up to opset 17; up to opset 26
// they were compared, operator by operator and type by type, with the models that ONNX Runtime 1.30 takes.
constexpr Row kRows[] = {
    {"Abs", "T -> T; T=number | 13: T+bf16"},
    {"Acos", "T -> T; T=float | 22: T+bf16"},
    {"Acosh", "9: T -> T; T=float | 22: T+bf16"},
    {"Add", "T T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 14: T+i8,i16,u8,u16"},
    {"AffineGrid", "20: T1 i64 -> T1; T1=float,bf16"},
    {"And", "bool bool -> bool"},
    {"ArgMax", "T -> i64; T=number | 13: T+bf16"},
    {"ArgMin", "T -> i64; T=number | 13: T+bf16"},
    {"Asin", "T -> T; T=float | 22: T+bf16"},
    {"Asinh", "9: T -> T; T=float | 22: T+bf16"},
    {"Atan", "T -> T; T=float | 22: T+bf16"},
    {"Atanh", "9: T -> T; T=float | 22: T+bf16"},
    {"Attention",
     "23: T1 T1 T2 U T1 T2 -> T1 T1 T2 T1; T1=float,bf16 T2=float,bf16 U=number,bf16,bool | 24: T1 T1 "
     "T2 U T1 T2 i64 -> T1 T1 T2 T1"},
    {"AveragePool", "T -> T; T=float | 22: T+bf16"},
    {"BatchNormalization",
     "T T T T T -> T T T T T; T=float | 14: T T T U U -> T U U; T+bf16 U=float,bf16 | 15: T "
     "T1 T1 T2 T2 -> T T2 T2; T1=float,bf16 T2=float,bf16"},
    {"Bernoulli", "15: T1 -> T2@dtype=T1; T1=float T2=number,bf16,bool | 22: T1+bf16"},
    {"BitCast",
     "26: T1 -> T2@to; T1=number,bf16,bool,fp8,i4,u4,f4,e8m0,i2,u2 "
     "T2=number,bf16,bool,fp8,i4,u4,f4,e8m0,i2,u2"},
    {"BitShift", "11: T T -> T; T=unsigned"},
    {"BitwiseAnd", "18: T T -> T; T=int"},
    {"BitwiseNot", "18: T -> T; T=int"},
    {"BitwiseOr", "18: T T -> T; T=int"},
    {"BitwiseXor", "18: T T -> T; T=int"},
    {"BlackmanWindow", "17: T1 -> T2@output_datatype=f32; T1=i32,i64 T2=number,bf16"},
    {"Cast",
     "T1 -> T2@to; T1=number,bool T2=number,bool | 9: T1+string T2+string | 13: T1+bf16 T2+bf16 | 19: "
     "T1+fp8 T2+fp8 | 21: T1+i4,u4 T2+i4,u4 | 23: T1+f4 T2+f4 | 24: T1+e8m0 T2+e8m0 | 25: T1+i2,u2 T2+i2,u2"},
    {"CastLike",
     "15: T1 T2 -> T2; T1=any,bf16 T2=any,bf16 | 19: T1+fp8 T2+fp8 | 21: T1+i4,u4 T2+i4,u4 | 23: T1+f4 "
     "T2+f4 | 24: T1+e8m0 T2+e8m0 | 25: T1+i2,u2 T2+i2,u2"},
    {"CausalConvWithState", "27: T T T T -> T T; T=f16,f32,bf16"},
    {"Ceil", "T -> T; T=float | 13: T+bf16"},
    {"Celu", "12: f32 -> f32"},
    {"CenterCropPad", "18: T Tind -> T; T=any,bf16 Tind=i32,i64"},
    {"Clip", "T -> T; T=float | 11: T T T -> T | 12: T+int | 13: T+bf16"},
    {"Col2Im", "18: T i64 i64 -> T; T=any,bf16"},
    {"Compress", "9: T bool -> T; T=any"},
    {"Concat", "T* -> T; T=any | 13: T+bf16"},
    {"ConcatFromSequence", "11: seq -> T; T=any"},
    {"ConstantOfShape",
     "9: i64 -> T@value=f32; T=number,bool | 20: T+bf16,fp8 | 21: T+i4,u4 | 23: T+f4 | 24: "
     "T+e8m0 | 25: T+i2,u2"},
    {"Conv", "T T T -> T; T=float | 22: T+bf16"},
    {"ConvInteger", "10: T1 T2 T1 T2 -> i32; T1=i8,u8 T2=i8,u8"},
    {"ConvTranspose", "T T T -> T; T=float | 22: T+bf16"},
    {"Cos", "T -> T; T=float | 22: T+bf16"},
    {"Cosh", "9: T -> T; T=float | 22: T+bf16"},
    {"CumProd", "26: T T2 -> T; T=float,bf16,i32,i64,u32,u64 T2=i32,i64"},
    {"CumSum", "11: T T2 -> T; T=f32,f64,i32,i64,u32,u64 T2=i32,i64 | 14: T+f16,bf16"},
    {"DFT", "17: T1 T2 -> T1; T1=float,bf16 T2=i32,i64 | 20: T1 T2 i64 -> T1"},
    {"DeformConv", "19: T T T T T -> T; T=float | 22: T+bf16"},
    {"DepthToSpace", "T -> T; T=any | 13: T+bf16"},
    {"DequantizeLinear",
     "10: T f32 T -> f32; T=i8,i32,u8 | 19: T S T -> S; T+fp8 S=f16,f32,bf16 | 21: "
     "T+i16,u16,i4,u4 | 23: T S T -> T3@output_dtype=S; T+f4 T3=f16,f32,bf16 | 24: S+e8m0 | 25: "
     "T+i2,u2"},
    {"Det", "11: T -> T; T=float | 22: T+bf16"},
    {"Div", "T T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 14: T+i8,i16,u8,u16"},
    {"Dropout",
     "T -> T T; T=float | 10: T -> T T1; T1=bool | 12: T T1 bool -> T bool; T1=float | 13: T+bf16 | 22: "
     "T+fp8 T1+bf16,fp8"},
    {"DynamicQuantizeLinear", "11: f32 -> u8 f32 u8"},
    {"Einsum", "12: T* -> T; T=number"},
    {"Elu", "T -> T; T=float | 22: T+bf16"},
    {"Equal", "T T -> bool; T=i32,i64,bool | 11: T+float,unsigned,i8,i16 | 13: T+bf16 | 19: T+string"},
    {"Erf", "9: T -> T; T=number | 13: T+bf16"},
    {"Exp", "T -> T; T=float | 13: T+bf16"},
    {"Expand", "8: T i64 -> T; T=any | 13: T+bf16"},
    {"EyeLike", "9: T1 -> T2@dtype=T1; T1=number,bool T2=number,bool | 22: T1+bf16 T2+bf16"},
    {"Flatten",
     "T -> T; T=float | 9: T+int,bool,string | 13: T+bf16 | 21: T+fp8,i4,u4 | 23: T+f4 | 24: T+e8m0 | "
     "25: T+i2,u2"},
    {"Floor", "T -> T; T=float | 13: T+bf16"},
    {"GRU", "T T T T i32 T -> T T; T=float | 22: T+bf16"},
    {"Gather", "T Tind -> T; T=any Tind=i32,i64 | 13: T+bf16"},
    {"GatherElements", "11: T Tind -> T; T=any Tind=i32,i64 | 13: T+bf16"},
    {"GatherND", "11: T i64 -> T; T=any | 13: T+bf16"},
    {"Gelu", "20: T -> T; T=float,bf16"},
    {"Gemm", "T T T -> T; T=float | 9: T+i32,i64,u32,u64 | 13: T+bf16"},
    {"GlobalAveragePool", "T -> T; T=float | 22: T+bf16"},
    {"GlobalLpPool", "T -> T; T=float | 22: T+bf16"},
    {"GlobalMaxPool", "T -> T; T=float | 22: T+bf16"},
    {"Greater", "T T -> bool; T=float | 9: T+int | 13: T+bf16"},
    {"GreaterOrEqual", "12: T T -> bool; T=number | 16: T+bf16"},
    {"GridSample", "16: T1 T2 -> T1; T1=any T2=float | 22: T1+bf16 T2+bf16"},
    {"GroupNormalization", "18: T T T -> T; T=float,bf16"},
    {"HammingWindow", "17: T1 -> T2@output_datatype=f32; T1=i32,i64 T2=number,bf16"},
    {"HannWindow", "17: T1 -> T2@output_datatype=f32; T1=i32,i64 T2=number,bf16"},
    {"HardSigmoid", "T -> T; T=float | 22: T+bf16"},
    {"HardSwish", "14: T -> T; T=float | 22: T+bf16"},
    {"Hardmax", "T -> T; T=float | 13: T+bf16"},
    {"Identity",
     "T -> T; T=any | 13: T+bf16 | 14: V -> V; V=any,bf16,seq | 19: V+fp8 | 21: V+i4,u4 | 23: V+f4 | "
     "24: V+e8m0 | 25: V+i2,u2"},
    {"InstanceNormalization", "T T T -> T; T=float | 22: T+bf16"},
    {"IsInf", "10: T1 -> bool; T1=f32,f64 | 20: T1+f16,bf16,fp8"},
    {"IsNaN", "9: T1 -> bool; T1=float | 13: T1+bf16 | 20: T1+fp8"},
    {"LRN", "T -> T; T=float | 13: T+bf16"},
    {"LSTM", "T T T T i32 T T T -> T T T; T=float | 22: T+bf16"},
    {"LayerNormalization", "17: T T T -> T U@stash_type=f32 U@stash_type=f32; T=float,bf16 U=f32,bf16"},
    {"LeakyRelu", "T -> T; T=float | 16: T+bf16"},
    {"Less", "T T -> bool; T=float | 9: T+int | 13: T+bf16"},
    {"LessOrEqual", "12: T T -> bool; T=number | 16: T+bf16"},
    {"LinearAttention", "27: T T T S T T -> T S; T=f16,f32,bf16 S=f16,f32,bf16"},
    {"Log", "T -> T; T=float | 13: T+bf16"},
    {"LogSoftmax", "T -> T; T=float | 13: T+bf16"},
    {"LpNormalization", "T -> T; T=float | 22: T+bf16"},
    {"LpPool", "T -> T; T=float | 22: T+bf16"},
    {"MatMul", "T T -> T; T=float | 9: T+i32,i64,u32,u64 | 13: T+bf16"},
    {"MatMulInteger", "10: T1 T2 T1 T2 -> i32; T1=i8,u8 T2=i8,u8"},
    {"Max", "T* -> T; T=float | 12: T+int | 13: T+bf16"},
    {"MaxPool", "T -> T; T=float | 8: T -> T i64 | 12: T+i8,u8 | 22: T+bf16"},
    {"MaxRoiPool", "T T -> T; T=float | 22: T+bf16"},
    {"MaxUnpool", "9: T1 i64 i64 -> T1; T1=float | 22: T1+bf16"},
    {"Mean", "T* -> T; T=float | 13: T+bf16"},
    {"MeanVarianceNormalization", "9: T -> T; T=float | 13: T+bf16"},
    {"MelWeightMatrix", "17: T1 T1 T1 T2 T2 -> T3@output_datatype=f32; T1=i32,i64 T2=float,bf16 T3=number,bf16"},
    {"Min", "T* -> T; T=float | 12: T+int | 13: T+bf16"},
    {"Mish", "18: T -> T; T=float | 22: T+bf16"},
    {"Mod", "10: T T -> T; T=number | 13: T+bf16"},
    {"Mul", "T T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 14: T+i8,i16,u8,u16"},
    {"Multinomial", "T1 -> T2@dtype=i32; T1=float T2=i32,i64 | 22: T1+bf16"},
    {"Neg", "T -> T; T=float,signed | 13: T+bf16"},
    {"NegativeLogLikelihoodLoss", "12: T Tind T -> T; T=float Tind=i32,i64 | 22: T+bf16"},
    {"NonMaxSuppression", "10: f32 f32 i64 f32 f32 -> i64"},
    {"NonZero", "9: T -> i64; T=any | 13: T+bf16"},
    {"Not", "bool -> bool"},
    {"OneHot", "9: T1 T2 T3 -> T3; T1=number T2=number T3=any"},
    {"Or", "bool bool -> bool"},
    {"PRelu", "T T -> T; T=float | 9: T+i32,i64,u32,u64 | 16: T+bf16"},
    {"Pad",
     "T -> T; T=float | 11: T i64 T -> T; T+int | 13: T+bf16,bool,string | 21: T+fp8,i4,u4 | 23: T+f4 | 24: "
     "T+e8m0 | 25: T+i2,u2"},
    {"Pow", "T T -> T; T=float | 12: T T1 -> T; T+i32,i64 T1=number | 13: T+bf16 | 15: T1+bf16"},
    {"QLinearConv", "10: T1 f32 T1 T2 f32 T2 f32 T3 i32 -> T3; T1=i8,u8 T2=i8,u8 T3=i8,u8"},
    {"QLinearMatMul",
     "10: T1 f32 T1 T2 f32 T2 f32 T3 -> T3; T1=i8,u8 T2=i8,u8 T3=i8,u8 | 21: T1 S T1 T2 S T2 S T3 "
     "-> T3; T1+fp8 T2+fp8 T3+fp8 S=f16,f32,bf16"},
    {"QuantizeLinear",
     "10: T1 f32 T2 -> T2@output_dtype=u8; T1=f32,i32 T2=i8,u8 | 19: T1 T1 T2 -> "
     "T2@output_dtype=u8; T1+f16,bf16 T2+fp8 | 21: T2+i16,u16,i4,u4 | 23: T1 S T2 -> "
     "T2@output_dtype=u8; T2+f4 S=f16,f32,bf16,i32 | 24: S+e8m0 | 25: T2+i2,u2"},
    {"RMSNormalization", "23: T V -> V; T=float,bf16 V=float,bf16"},
    {"RNN", "T T T T i32 T -> T T; T=float | 22: T+bf16"},
    {"RandomNormal", "-> T@dtype=f32; T=float | 22: T+bf16"},
    {"RandomNormalLike", "T1 -> T2@dtype=T1; T1=any T2=float | 22: T1+bf16 T2+bf16"},
    {"RandomUniform", "-> T@dtype=f32; T=float | 22: T+bf16"},
    {"RandomUniformLike", "T1 -> T2@dtype=T1; T1=any T2=float | 22: T1+bf16 T2+bf16"},
    {"Range", "11: T T T -> T; T=f32,f64,i16,i32,i64 | 27: T+f16,bf16"},
    {"Reciprocal", "T -> T; T=float | 13: T+bf16"},
    {"ReduceL1", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"ReduceL2", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"ReduceLogSum", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"ReduceLogSumExp", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"ReduceMax", "T -> T; T=float,i32,i64,u32,u64 | 12: T+i8,u8 | 13: T+bf16 | 18: T i64 -> T | 20: T+bool"},
    {"ReduceMean", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"ReduceMin", "T -> T; T=float,i32,i64,u32,u64 | 12: T+i8,u8 | 13: T+bf16 | 18: T i64 -> T | 20: T+bool"},
    {"ReduceProd", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"ReduceSum", "T -> T; T=float,i32,i64,u32,u64 | 13: T i64 -> T; T+bf16"},
    {"ReduceSumSquare", "T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 18: T i64 -> T"},
    {"RegexFullMatch", "20: string -> bool"},
    {"Relu", "T -> T; T=float | 13: T+bf16 | 14: T+signed"},
    {"Reshape", "T i64 -> T; T=any | 13: T+bf16 | 19: T+fp8 | 21: T+i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Resize", "10: T f32 -> T; T=any | 11: T1 T2 f32 i64 -> T1; T1=any T2=float | 13: T1+bf16"},
    {"ReverseSequence", "10: T i64 -> T; T=any"},
    {"RoiAlign", "10: T1 T1 i64 -> T1; T1=float | 22: T1+bf16"},
    {"RotaryEmbedding", "23: T T T i64 -> T; T=f16,f32,bf16"},
    {"Round", "11: T -> T; T=float | 22: T+bf16"},
    {"STFT", "17: T1 T2 T1 T2 -> T1; T1=float,bf16 T2=i32,i64"},
    {"Scatter", "9: T Tind T -> T; T=any Tind=i32,i64"},
    {"ScatterElements", "11: T Tind T -> T; T=any Tind=i32,i64 | 13: T+bf16"},
    {"ScatterND", "11: T i64 T -> T; T=any | 13: T+bf16"},
    {"Selu", "T -> T; T=float | 22: T+bf16"},
    {"SequenceAt", "11: seq I -> T; T=any I=i32,i64"},
    {"SequenceConstruct", "11: T* -> seq; T=any"},
    {"SequenceEmpty", "11: -> seq"},
    {"SequenceErase", "11: seq I -> seq; I=i32,i64"},
    {"SequenceInsert", "11: seq T I -> seq; T=any I=i32,i64"},
    {"SequenceLength", "11: seq -> i64"},
    {"Shape", "T -> i64; T=any | 13: T+bf16 | 19: T+fp8 | 21: T+i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Shrink", "9: T -> T; T=number"},
    {"Sigmoid", "T -> T; T=float | 13: T+bf16"},
    {"Sign", "9: T -> T; T=number | 13: T+bf16"},
    {"Sin", "T -> T; T=float | 22: T+bf16"},
    {"Sinh", "9: T -> T; T=float | 22: T+bf16"},
    {"Size", "T -> i64; T=any | 13: T+bf16 | 19: T+fp8 | 21: T+i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Slice", "T -> T; T=any | 10: T Tind Tind Tind Tind -> T; Tind=i32,i64 | 13: T+bf16"},
    {"Softmax", "T -> T; T=float | 13: T+bf16"},
    {"SoftmaxCrossEntropyLoss", "12: T Tind T -> T T; T=float Tind=i32,i64 | 13: T+bf16"},
    {"Softplus", "T -> T; T=float | 22: T+bf16"},
    {"Softsign", "T -> T; T=float | 22: T+bf16"},
    {"SpaceToDepth", "T -> T; T=any | 13: T+bf16"},
    {"Split", "T -> T*; T=any | 13: T i64 -> T*; T+bf16"},
    {"SplitToSequence", "11: T I -> seq; T=any I=i32,i64 | 24: T+bf16"},
    {"Sqrt", "T -> T; T=float | 13: T+bf16"},
    {"Squeeze", "T -> T; T=any | 13: T i64 -> T; T+bf16 | 21: T+fp8,i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"StringConcat", "20: string string -> string"},
    {"StringNormalizer", "10: string -> string"},
    {"StringSplit", "20: string -> string i64"},
    {"Sub", "T T -> T; T=float,i32,i64,u32,u64 | 13: T+bf16 | 14: T+i8,i16,u8,u16"},
    {"Sum", "T* -> T; T=float | 13: T+bf16"},
    {"SwiGLU", "28: T T -> T; T=float,bf16"},
    {"Swish", "24: T -> T; T=float,bf16"},
    {"Tan", "T -> T; T=float | 22: T+bf16"},
    {"Tanh", "T -> T; T=float | 13: T+bf16"},
    {"TensorScatter", "24: T T i64 -> T; T=any,bf16,fp8,i4,u4,f4,e8m0"},
    {"TfIdfVectorizer", "9: T -> f32; T=i32,i64,string"},
    {"ThresholdedRelu", "10: T -> T; T=float | 22: T+bf16"},
    {"Tile", "T i64 -> T; T=any | 13: T+bf16"},
    {"TopK", "T -> T i64; T=float | 10: T i64 -> T i64 | 11: T+int | 24: T+bf16"},
    {"Transpose", "T -> T; T=any | 13: T+bf16 | 21: T+fp8,i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Trilu", "14: T i64 -> T; T=any,bf16"},
    {"Unique", "11: T -> T i64 i64 i64; T=any"},
    {"Unsqueeze", "T -> T; T=any | 13: T i64 -> T; T+bf16 | 21: T+fp8,i4,u4 | 23: T+f4 | 24: T+e8m0 | 25: T+i2,u2"},
    {"Upsample", "T -> T; T=any | 9: T f32 -> T"},
    {"Where", "9: bool T T -> T; T=any | 16: T+bf16"},
    {"Xor", "bool bool -> bool"},
};

using Word = std::pair<std::string_view, DataType>;
constexpr Word kWords[] = {{"f32", DataType::Float32},
                           {"f64", DataType::Float64},
                           {"f16", DataType::Float16},
                           {"bf16", DataType::BFloat16},
                           {"i8", DataType::Int8},
                           {"i16", DataType::Int16},
                           {"i32", DataType::Int32},
                           {"i64", DataType::Int64},
                           {"u8", DataType::UInt8},
                           {"u16", DataType::UInt16},
                           {"u32", DataType::UInt32},
                           {"u64", DataType::UInt64},
                           {"bool", DataType::Bool},
                           {"string", DataType::String},
                           {"seq", DataType::Sequence},
                           {"i4", DataType::Int4},
                           {"u4", DataType::UInt4},
                           {"i2", DataType::Int2},
                           {"u2", DataType::UInt2},
                           {"f4", DataType::Float4E2M1},
                           {"e8m0", DataType::Float8E8M0},
                           {"e4m3", DataType::Float8E4M3FN},
                           {"e4m3z", DataType::Float8E4M3FNUZ},
                           {"e5m2", DataType::Float8E5M2},
                           {"e5m2z", DataType::Float8E5M2FNUZ}};

using Group = std::pair<std::string_view, std::string_view>;
constexpr Group kGroups[] = {{"float", "f32,f64,f16"},
                             {"signed", "i8,i16,i32,i64"},
                             {"unsigned", "u8,u16,u32,u64"},
                             {"int", "i8,i16,i32,i64,u8,u16,u32,u64"},
                             {"number", "i8,i16,i32,i64,u8,u16,u32,u64,f32,f64,f16"},
                             {"any", "i8,i16,i32,i64,u8,u16,u32,u64,f32,f64,f16,bool,string"},
                             {"fp8", "e4m3,e4m3z,e5m2,e5m2z"}};

using signature_text::take_until;
using signature_text::trim;

[[noreturn]] void refuse_row(std::string_view what) {
  throw Error(ErrorCode::Internal, "table of operator types: '" + std::string(what) + "'");
}

std::optional<TypeSet> find_types(std::string_view words) {
  TypeSet set;
  for (std::optional<std::string_view> rest = words; rest;) {
    const std::string_view word = take_until(rest, ",");
    if (const auto* one = std::ranges::find(kWords, word, &Word::first); one != std::end(kWords)) {
      set.add(one->second);
    } else if (const auto* group = std::ranges::find(kGroups, word, &Group::first); group != std::end(kGroups)) {
      set.add(*find_types(group->second));
    } else {
      return std::nullopt;
    }
  }
  return set;
}

TypeSet types_of(std::string_view words) {
  if (const std::optional<TypeSet> types = find_types(words)) return *types;
  refuse_row(words);
}

/// The variable of that name; a type's word makes one.
int variable_named(TypeSignature& version, std::string_view name) {
  const auto found = std::ranges::find(version.variables, name, &TypeSignature::Variable::name);
  if (found != version.variables.end()) return static_cast<int>(found - version.variables.begin());
  version.variables.push_back({name, find_types(name).value_or(TypeSet())});
  return static_cast<int>(version.variables.size()) - 1;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::optional<std::string_view> rest = trim(text); rest && !rest->empty();)
    words.push_back(take_until(rest, " "));
  return words;
}

bool take_star(std::string_view& word) {
  const bool repeats = word.ends_with('*');
  if (repeats) word.remove_suffix(1);
  return repeats;
}

void parse_type_parameters(std::string_view text, TypeSignature& version) {
  const size_t arrow = text.find("->");
  version.inputs.clear(), version.outputs.clear();
  version.repeats_input = version.repeats_output = false;
  for (std::string_view word : words_of(text.substr(0, arrow))) {
    version.repeats_input = take_star(word);
    version.inputs.push_back(variable_named(version, word));
  }
  for (std::string_view word : words_of(text.substr(arrow + 2))) {
    version.repeats_output = take_star(word);
    std::optional<std::string_view> rest = word;
    TypeSignature::Output output{.variable = variable_named(version, take_until(rest, "@"))};
    if (rest) output.attribute = take_until(rest, "=");
    if (rest) {
      const std::optional<TypeSet> type = find_types(*rest);
      if (type) output.default_type = type->only();
      if (!type) output.default_variable = variable_named(version, *rest);
    }
    version.outputs.push_back(output);
  }
}

void parse_types(std::string_view text, TypeSignature& version) {
  for (const std::string_view word : words_of(text)) {
    const size_t at = word.find_first_of("=+");
    if (at == word.npos) refuse_row(word);
    TypeSet& types = version.variables[as_index(variable_named(version, word.substr(0, at)))].types;
    if (word[at] == '=') types = {};
    types.add(types_of(word.substr(at + 1)));
  }
}

int take_opset(std::string_view& text) {
  const size_t colon = text.find(": ");
  if (colon == text.npos) return 1;
  int opset = 0;
  for (const char digit : text.substr(0, colon)) opset = opset * 10 + (digit - '0');
  text.remove_prefix(colon + 2);
  return opset;
}

const std::unordered_map<std::string_view, std::vector<TypeSignature>>& type_table() {
  static const auto table = [] {
    std::unordered_map<std::string_view, std::vector<TypeSignature>> read;
    for (const Row& row : kRows) read.emplace(row.op_type, parse_type_signatures(row.versions));
    return read;
  }();
  return table;
}

}  // namespace

DataType TypeSet::only() const {
  return std::has_single_bit(bits_) ? static_cast<DataType>(std::countr_zero(bits_)) : DataType::Undefined;
}

std::string TypeSet::text() const {
  std::vector<std::string_view> names;
  for (const auto& [word, type] : kWords)
    if (contains(type)) names.push_back(type == DataType::Sequence ? "a sequence" : name_of(type));
  std::string joined;
  for (size_t i = 0; i < names.size(); ++i)
    joined += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + std::string(names[i]);
  return joined;
}

int TypeSignature::input(size_t slot) const {
  if (slot < inputs.size()) return inputs[slot];
  return repeats_input ? inputs.back() : -1;
}

const TypeSignature::Output* TypeSignature::output(size_t slot) const {
  if (slot < outputs.size()) return &outputs[slot];
  return repeats_output ? &outputs.back() : nullptr;
}

std::vector<TypeSignature> parse_type_signatures(std::string_view text) {
  std::vector<TypeSignature> versions;
  TypeSignature version;
  for (std::optional<std::string_view> rest = text; rest;) {
    std::string_view part = take_until(rest, " | ");
    version.since = take_opset(part);
    if (!versions.empty() && version.since <= versions.back().since) refuse_row(text);
    if (part.find("->") != part.npos) {
      std::optional<std::string_view> types = part;
      parse_type_parameters(take_until(types, ";"), version);
      part = types.value_or("");
    }
    parse_types(part, version);
    for (const TypeSignature::Variable& variable : version.variables)
      if (variable.types == TypeSet()) refuse_row(text);
    versions.push_back(version);
  }
  return versions;
}

std::span<const TypeSignature> type_signatures(std::string_view op_type) {
  const auto found = type_table().find(op_type);
  return found == type_table().end() ? std::span<const TypeSignature>() : found->second;
}

const TypeSignature* find_type_signature(std::string_view op_type, int64_t opset) {
  const std::span<const TypeSignature> versions = type_signatures(op_type);
  const auto later = std::ranges::find_if(versions, [&](const auto& one) { return one.since > opset; });
  return later == versions.begin() ? nullptr : &*(later - 1);
}

}  // namespace detent
