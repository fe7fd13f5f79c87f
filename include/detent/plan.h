#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/data_source.h"
#include "detent/options/float_types.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/plan_report.h"

namespace detent {

struct PlanModelOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  PlacementOptions placement;
  std::map<std::string, std::vector<int64_t>> shapes;  ///< by input, for open sizes
  std::optional<FloatType> float_type;                 ///< of what is not quantized; absent: the target's
  std::optional<DataType> activation;                  ///< absent: the target's; O10 and O12 depend on it
  bool dynamic = false;                                ///< as FormatOptions::dynamic
  DataOptions data;                                    ///< without sources: nothing is measured
  std::filesystem::path latency_table;                 ///< of quantize_model(), for PlanReport::forecasts; empty: none
  RunSettings run;                                     ///< of the pass over the data
};

/// Places pairs, and determines which nodes would compute in a 16-bit float type.
///
/// Without data  MACs and bytes are 0 where the model has open sizes and no shape was given. Only operators,
///               constants and structure decide which nodes stay FP32.
/// With data     Every value is measured, and sizes are those of the samples. The plan equals that of quantize_model on
///               these samples without equalization.
/// Errors        InvalidModel; Usage for an unknown target, and for shapes together with data; InvalidOption for shapes
///               or patterns that do not fit; with data those of reading and running samples.
[[nodiscard]] DETENT_API PlanReport plan_model(const PlanModelOptions& options);

/// A target: an engine in one version, or on one device.
struct TargetInfo {
  std::string spec;                      ///< "tensorrt:10.13", "openvino:cpu"
  std::string name;                      ///< of its engine in --target: "tensorrt"
  std::string title;                     ///< of its engine in sentences: "TensorRT"
  bool is_default = false;               ///< the name without a version means this target
  std::vector<std::string> activations;  ///< types of codes, the default first: "uint8", "int8"; "fp8"
  std::vector<std::string> biases;       ///< "float", "int32", the default first
  std::string float_type;                ///< default type of what is not quantized: "fp16"
  bool takes_pairs = true;               ///< false: it takes a float model and a calibration cache
  std::string page;                      ///< page of its rules, in the repository
};
/// Returns every target, the default of an engine before its other versions.
[[nodiscard]] DETENT_API std::vector<TargetInfo> known_targets();

/// The kind of name that a text of an option is.
enum class NameKind : uint8_t { Target, Calibrator, Preprocessing };
/// Checks such a text as every command does, before a file is read.
/// Errors  Usage, or InvalidOption, as the command has it.
DETENT_API void check_name(NameKind kind, const std::string& text);

}  // namespace detent
