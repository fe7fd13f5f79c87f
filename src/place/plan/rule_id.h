#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace detent {

/// The placement rules of all engines.
enum class RuleId : uint8_t {
  None,  ///< no rule decided
  // TensorRT.
  WeightedOp,
  FusedActivation,
  BatchNorm,
  ResidualAdd,
  Concat,
  DeconvolutionActivation,
  CommutingOp,
  PoolingAndElementwise,
  AttentionAndNorms,
  SmallLayer,
  GraphOutput,
  Fp8Layer,
  FusedAttention,
  // Every engine.
  UserChoice,
  MeasuredChoice,
  SignalFrontEnd,
  ResidualStream,
  Decoding,
  State,
  WeightsAlone,
  KnownRange,
  // ONNX Runtime.
  OnnxRuntimeLayer,
  OnnxRuntimeDeconvolution,
  OnnxRuntimeActivation,
  OnnxRuntimeElementwise,
  OnnxRuntimeConcat,
  OnnxRuntimePooling,
  OnnxRuntimeCopy,
  OnnxRuntimeReaders,
  OnnxRuntimeHalf,
  OnnxRuntimeInt8,
  OnnxRuntimeFewChannels,
  OnnxRuntimeWide,
  // OpenVINO.
  OpenVinoElementwise,
  OpenVinoCopy,
  OpenVinoSymmetric,
  // TensorRT's DLA.
  DlaLayer,
  DlaScale,
  // Qualcomm HTP.
  QnnNodeUnit,
  QnnOneEncoding,
  QnnFixedEncoding,
  QnnNorm,
  QnnFloatIsland,
  QnnIsland,
  QnnMask,
};

/// The printed name and the source of a rule.
struct RuleName {
  RuleId id = RuleId::None;
  std::string_view number;  ///< "R4"; may be empty
  std::string_view words;   ///< "residual add"
  std::string_view source;
};

/// Returns one entry for each RuleId except None, in the order of the numbers.
[[nodiscard]] std::span<const RuleName> rule_names();

/// Returns the name that plans and reports print: "R4 residual add", "known range", and "-" for None.
[[nodiscard]] std::string name_of(RuleId rule);

}  // namespace detent
