#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/placement_options.h"
#include "detent/progress.h"
#include "detent/reports.h"

/// The commands of the program as functions. Each throws detent::Error; none prints (reports are values, progress and
/// warnings go to the Reporter).
namespace detent {

/// How long work runs.
struct RunSettings {
  size_t threads = 0;          ///< 0: all cores
  bool skip_bad_data = false;  ///< count and skip unreadable samples instead of stopping
  Reporter* reporter = &Reporter::silent();
};

/// How quantized tensors are represented. Empty optionals take the target's default.
struct FormatOptions {
  enum class WeightRange { Max, Mse };
  std::optional<bool> int8_weights;  ///< INT8 initializer + DequantizeLinear; false: FP32 initializer + full pair
  WeightRange weight_range = WeightRange::Max;
  int weight_bits = 8;      ///< 7 or 8
  bool per_tensor = false;  ///< one scale per weight tensor instead of one per output channel
  std::optional<bool> uint8_activations;
  bool full_range = false;  ///< scale = 2*amax/256 instead of amax/127
  std::optional<bool> int32_bias;
};

struct QuantizeOptions {
  std::filesystem::path model, output;
  DataOptions data;
  std::string calibrator = "entropy";
  std::filesystem::path override_file;  ///< ranges or calibrators by value name, JSON; empty: none
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  RunSettings run;
  bool overwrite = false;
  size_t error_samples = 16;  ///< how many samples the closing error measurement uses
};

/// Calibrates, places, rewrites, measures and writes. See the README for the order of the steps.
[[nodiscard]] QuantizeReport quantize_model(const QuantizeOptions& options);

struct PlanModelOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  PlacementOptions placement;
  std::map<std::string, std::vector<int64_t>> shapes;  ///< --shape NAME=..., for open sizes
};

/// The placement without data. MACs and bytes are 0 where the model leaves sizes open and no shape was given.
[[nodiscard]] PlanReport plan_model(const PlanModelOptions& options);

struct LintOptions {
  std::filesystem::path model;
  std::string target = "tensorrt";
  std::map<std::string, std::vector<int64_t>> shapes;  ///< --shape NAME=..., for open sizes
};

/// Reads any Q/DQ model, says what of it runs in INT8 and lists the findings, worst first. QOperator models and float
/// models are named as such. MACs are 0 where the model leaves sizes open and no shape was given.
[[nodiscard]] LintReport lint_model(const LintOptions& options);
/// Every kind of finding, errors first.
[[nodiscard]] std::vector<FindingInfo> known_findings();

struct RunOptions {
  std::filesystem::path model, output_folder;
  DataOptions data;
  RunSettings run;
  bool overwrite = false;
  bool profile = false;  ///< also report where the time went
};

/// Runs the model over the data and writes each output as .npy, samples stacked on axis 0.
[[nodiscard]] RunReport run_model(const RunOptions& options);

struct VerifyOptions {
  std::vector<std::filesystem::path> folders;
  double rtol = 1e-3;
  double atol = 1e-5;  ///< of the largest expected magnitude, at least 1e-7
  RunSettings run;
};

/// Runs folders in ONNX backend-test layout and compares with their stored outputs. Lines come in the order of the folders.
[[nodiscard]] VerifyReport verify_models(const VerifyOptions& options);

[[nodiscard]] ModelReport inspect_model(const std::filesystem::path& model);

/// "detent 0.1.0" and the libraries' versions, one a line.
[[nodiscard]] std::string version_text();

}  // namespace detent
