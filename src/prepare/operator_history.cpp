#include "prepare/operator_history.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace detent {

namespace {

/// The opsets at which an operator changed, 0 behind the last.
struct History {
  std::string_view op_type;
  std::array<uint8_t, 6> opsets;
};

/// Sorted by operator.
constexpr History kHistory[] = {{"Abs", {6, 13}},
                                {"Add", {6, 7, 13, 14}},
                                {"And", {7}},
                                {"ArgMax", {11, 12, 13}},
                                {"ArgMin", {11, 12, 13}},
                                {"AveragePool", {7, 10, 11}},
                                {"BatchNormalization", {6, 7, 9, 14, 15}},
                                {"Cast", {6, 9, 13}},
                                {"Ceil", {6, 13}},
                                {"Clip", {6, 11, 12, 13}},
                                {"Compress", {11}},
                                {"Concat", {4, 11, 13}},
                                {"Constant", {9, 11, 12, 13}},
                                {"Conv", {11}},
                                {"ConvTranspose", {11}},
                                {"CumSum", {14}},
                                {"DepthToSpace", {11, 13}},
                                {"DequantizeLinear", {13}},
                                {"Div", {6, 7, 13, 14}},
                                {"Dropout", {6, 7, 10, 12, 13}},
                                {"Elu", {6}},
                                {"Equal", {7, 11, 13}},
                                {"Erf", {13}},
                                {"Exp", {6, 13}},
                                {"Expand", {13}},
                                {"Flatten", {9, 11, 13}},
                                {"Floor", {6, 13}},
                                {"GRU", {3, 7, 14}},
                                {"Gather", {11, 13}},
                                {"GatherElements", {13}},
                                {"GatherND", {12, 13}},
                                {"Gemm", {6, 7, 9, 11, 13}},
                                {"GlobalLpPool", {2}},
                                {"Greater", {7, 9, 13}},
                                {"GreaterOrEqual", {16}},
                                {"HardSigmoid", {6}},
                                {"Hardmax", {11, 13}},
                                {"Identity", {13, 14, 16}},
                                {"If", {11, 13, 16}},
                                {"InstanceNormalization", {6}},
                                {"IsNaN", {13}},
                                {"LRN", {13}},
                                {"LSTM", {7, 14}},
                                {"LeakyRelu", {6, 16}},
                                {"Less", {7, 9, 13}},
                                {"LessOrEqual", {16}},
                                {"Log", {6, 13}},
                                {"LogSoftmax", {11, 13}},
                                {"Loop", {11, 13, 16}},
                                {"LpPool", {2, 11}},
                                {"MatMul", {9, 13}},
                                {"Max", {6, 8, 12, 13}},
                                {"MaxPool", {8, 10, 11, 12}},
                                {"MaxUnpool", {11}},
                                {"Mean", {6, 8, 13}},
                                {"MeanVarianceNormalization", {13}},
                                {"Min", {6, 8, 12, 13}},
                                {"Mod", {13}},
                                {"Mul", {6, 7, 13, 14}},
                                {"Neg", {6, 13}},
                                {"NegativeLogLikelihoodLoss", {13}},
                                {"NonMaxSuppression", {11}},
                                {"NonZero", {13}},
                                {"OneHot", {11}},
                                {"Or", {7}},
                                {"PRelu", {6, 7, 9, 16}},
                                {"Pad", {2, 11, 13}},
                                {"Pow", {7, 12, 13, 15}},
                                {"QuantizeLinear", {13}},
                                {"RNN", {7, 14}},
                                {"Reciprocal", {6, 13}},
                                {"ReduceL1", {11, 13}},
                                {"ReduceL2", {11, 13}},
                                {"ReduceLogSum", {11, 13}},
                                {"ReduceLogSumExp", {11, 13}},
                                {"ReduceMax", {11, 12, 13}},
                                {"ReduceMean", {11, 13}},
                                {"ReduceMin", {11, 12, 13}},
                                {"ReduceProd", {11, 13}},
                                {"ReduceSum", {11, 13}},
                                {"ReduceSumSquare", {11, 13}},
                                {"Relu", {6, 13, 14}},
                                {"Reshape", {5, 13, 14}},
                                {"Resize", {11, 13}},
                                {"RoiAlign", {16}},
                                {"Scan", {9, 11, 16}},
                                {"Scatter", {11}},
                                {"ScatterElements", {13, 16}},
                                {"ScatterND", {13, 16}},
                                {"Selu", {6}},
                                {"Shape", {13, 15}},
                                {"Sigmoid", {6, 13}},
                                {"Sign", {13}},
                                {"Size", {13}},
                                {"Slice", {10, 11, 13}},
                                {"Softmax", {11, 13}},
                                {"SoftmaxCrossEntropyLoss", {13}},
                                {"SpaceToDepth", {13}},
                                {"Split", {2, 11, 13}},
                                {"Sqrt", {6, 13}},
                                {"Squeeze", {11, 13}},
                                {"Sub", {6, 7, 13, 14}},
                                {"Sum", {6, 8, 13}},
                                {"Tanh", {6, 13}},
                                {"Tile", {6, 13}},
                                {"TopK", {10, 11}},
                                {"Transpose", {13}},
                                {"Unsqueeze", {11, 13}},
                                {"Upsample", {7, 9, 10}},
                                {"Where", {16}},
                                {"Xor", {7}}};

}  // namespace

bool operator_changed_at(std::string_view op_type, int version) {
  const auto* const found = std::ranges::lower_bound(kHistory, op_type, {}, &History::op_type);
  return version > 0 && found != std::end(kHistory) && found->op_type == op_type &&
         std::ranges::find(found->opsets, version) != found->opsets.end();
}

}  // namespace detent
