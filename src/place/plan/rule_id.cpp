#include "place/plan/rule_id.h"

#include <algorithm>
#include <array>

#include "place/targets/dla_layers.h"

namespace detent {
namespace {

constexpr std::string_view kGuide =
    "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/quantized-types-explicit-quantization.html";
constexpr std::string_view kModelOptimizer = "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization";
constexpr std::string_view kBlocks =
    "ONNX DequantizeLinear-21; onnxruntime, core/optimizer/qdq_transformer/selectors_actions/qdq_selectors.cc";
constexpr std::string_view kNncf = "github.com/openvinotoolkit/nncf, src/nncf/common/hardware/setups";
constexpr std::string_view kOpenVinoTransformations =
    "docs.openvino.ai, low-precision-transformations; github.com/openvinotoolkit/nncf, qspaces.py";
constexpr std::string_view kTried = "tried in ONNX Runtime 1.30, CPU";

constexpr std::string_view kQnnSelectors =
    "github.com/microsoft/onnxruntime, core/optimizer/qdq_transformer/selectors_actions/qdq_selectors.cc; November "
    "2026";
constexpr std::string_view kQnnConfig =
    "github.com/microsoft/onnxruntime, python/tools/quantization/execution_providers/qnn/quant_config.py; AIMET, "
    "htp_quantsim_config_v81.json; November 2026";
constexpr std::string_view kQnnBuilders =
    "github.com/microsoft/onnxruntime, core/providers/qnn/builder/opbuilder; November 2026";
constexpr std::string_view kQnnConvert =
    "github.com/microsoft/onnxruntime, "
    "python/tools/quantization/execution_providers/qnn/mixed_precision_overrides_utils.py; November 2026";
constexpr std::string_view kQnnManual =
    "onnxruntime.ai/docs/execution-providers/QNN-ExecutionProvider.html; November 2026";

constexpr std::array kNames{
    RuleName{RuleId::WeightedOp, "R1", "weighted op", kGuide},
    RuleName{RuleId::FusedActivation, "R2", "fused activation", kGuide},
    RuleName{RuleId::BatchNorm, "R3", "batch norm", "github.com/NVIDIA/TensorRT/issues/3412"},
    RuleName{RuleId::ResidualAdd, "R4", "residual add", kGuide},
    RuleName{RuleId::Concat, "R5", "concat", "github.com/NVIDIA/TensorRT/issues/2597"},
    RuleName{RuleId::DeconvolutionActivation, "R6", "deconvolution and activation",
             "github.com/NVIDIA/TensorRT/issues/3412"},
    RuleName{RuleId::CommutingOp, "R7", "commuting op", kGuide},
    RuleName{RuleId::PoolingAndElementwise, "R8", "pooling and elementwise", kGuide},
    RuleName{RuleId::AttentionAndNorms, "R9", "attention and norms", kModelOptimizer},
    RuleName{RuleId::SmallLayer, "R10", "small layer", kModelOptimizer},
    RuleName{RuleId::GraphOutput, "R11", "graph output", "github.com/NVIDIA/TensorRT/issues/2383"},
    RuleName{RuleId::UserChoice, "R12", "user", "README.md, --include and --exclude"},
    RuleName{RuleId::MeasuredChoice, "R13", "measured", "README.md, --max-drop and --min-sqnr"},
    RuleName{RuleId::SignalFrontEnd, "R14", "signal front end", "ours, measured"},
    RuleName{RuleId::ResidualStream, "R15", "residual stream", "ours, measured"},
    RuleName{RuleId::WeightsAlone, "R16", "weights alone", kBlocks},
    RuleName{RuleId::Fp8Layer, "R17", "FP8 layer",
             "github.com/NVIDIA/Model-Optimizer, modelopt/onnx/quantization/fp8.py"},
    RuleName{RuleId::Decoding, "R18", "decoding", "ours, measured"},
    RuleName{RuleId::State, "R19", "state", "ours"},
    RuleName{RuleId::FusedAttention, "R20", "fused attention",
             "docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-fused-attention.html"},
    RuleName{RuleId::KnownRange, "", "known range", "ONNX operator definitions"},
    RuleName{RuleId::OnnxRuntimeLayer, "O1", "integer layer", kTried},
    RuleName{RuleId::OnnxRuntimeDeconvolution, "O2", "float deconvolution", kTried},
    RuleName{RuleId::OnnxRuntimeActivation, "O3", "integer activation", kTried},
    RuleName{RuleId::OnnxRuntimeElementwise, "O4", "integer elementwise", kTried},
    RuleName{RuleId::OnnxRuntimeConcat, "O5", "integer concat", kTried},
    RuleName{RuleId::OnnxRuntimePooling, "O6", "integer pooling", kTried},
    RuleName{RuleId::OnnxRuntimeCopy, "O7", "integer copy", kTried},
    RuleName{RuleId::OnnxRuntimeReaders, "O8", "every reader", kTried},
    RuleName{RuleId::OnnxRuntimeHalf, "O9", "half values", kTried},
    RuleName{RuleId::OnnxRuntimeInt8, "O10", "INT8 activations", kTried},
    RuleName{RuleId::OnnxRuntimeFewChannels, "O11", "few channels", "timed in ONNX Runtime 1.30, CPU"},
    RuleName{RuleId::OnnxRuntimeWide, "O12", "16-bit activations", kTried},
    RuleName{RuleId::OpenVinoElementwise, "V1", "elementwise", kNncf},
    RuleName{RuleId::OpenVinoCopy, "V2", "copy", kNncf},
    RuleName{RuleId::OpenVinoSymmetric, "V3", "symmetric", kOpenVinoTransformations},
    RuleName{RuleId::DlaLayer, "D1", "DLA layer", kDlaSource},
    RuleName{RuleId::DlaScale, "D2", "DLA scale", kDlaSource},
    RuleName{RuleId::QnnNodeUnit, "H1", "node unit", kQnnSelectors},
    RuleName{RuleId::QnnOneEncoding, "H2", "one encoding", kQnnBuilders},
    RuleName{RuleId::QnnFixedEncoding, "H3", "fixed encoding", kQnnConfig},
    RuleName{RuleId::QnnNorm, "H4", "norm", kQnnBuilders},
    RuleName{RuleId::QnnFloatIsland, "H5", "float island", kQnnManual},
    RuleName{RuleId::QnnIsland, "H6", "16-bit island", kQnnConvert},
    RuleName{RuleId::QnnMask, "H7", "mask", "the definition of Softmax; November 2026"},
};

}  // namespace

std::span<const RuleName> rule_names() { return kNames; }

std::string name_of(RuleId rule) {
  const auto found = std::ranges::find(kNames, rule, &RuleName::id);
  if (found == kNames.end()) return "-";
  return (found->number.empty() ? "" : std::string(found->number) + " ") + std::string(found->words);
}

}  // namespace detent
