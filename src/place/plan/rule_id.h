#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace detent {

/// The placement rules of all engines.
enum class RuleId : uint8_t {
  None,  ///< no rule spoke
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
  // Every engine.
  UserChoice,
  MeasuredChoice,
  SignalFrontEnd,
  ResidualStream,
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
};

/// How a rule is printed and where it was read.
struct RuleName {
  RuleId id = RuleId::None;
  std::string_view number;  ///< "R4"; empty where a rule has none
  std::string_view words;   ///< "residual add"
  std::string_view source;
};

/// One entry for each RuleId except None, in the order of the numbers.
[[nodiscard]] std::span<const RuleName> rule_names();

/// The name that plans and reports print: "R4 residual add", "known range", and "-" for None.
[[nodiscard]] std::string name_of(RuleId rule);

}  // namespace detent
