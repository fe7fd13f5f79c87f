#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/comparison.h"
#include "detent/data_source.h"
#include "detent/error.h"
#include "detent/evaluation.h"
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

/// How much quantization may cost. At most one of the two.
struct AccuracyBound {
  std::optional<double> max_drop;     ///< of the score, absolute, as a fraction: 0.01 is one point
  std::optional<double> min_sqnr_db;  ///< at the outputs
  EvaluationOptions evaluation;       ///< what both are measured on; for min_sqnr_db the calibration data by default

  [[nodiscard]] bool given() const { return max_drop || min_sqnr_db; }
};

struct QuantizeOptions {
  std::filesystem::path model, output;
  DataOptions data;             ///< without sources: `table` alone, and the error is not measured
  std::filesystem::path table;  ///< ranges come from this calibration table; empty: from a pass over the data
  std::string calibrator = "entropy";
  std::filesystem::path override_file;  ///< ranges or calibrators by value name, JSON; empty: none
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  AccuracyBound bound;
  RunSettings run;
  bool overwrite = false;
  size_t error_samples = 16;  ///< how many samples the closing error measurement uses
};

/// Calibrates, places, rewrites, measures and writes. See the README for the order of the steps.
/// With a bound layers stay float, the fewest and cheapest that were found to be enough; where it cannot be met the best
/// model that was measured is written and the report says so.
[[nodiscard]] QuantizeReport quantize_model(const QuantizeOptions& options);

struct CompareOptions {
  std::filesystem::path model;
  DataOptions data;  ///< to calibrate with
  EvaluationOptions evaluation;
  std::vector<std::string> calibrators = {
      "max", "percentile:99.9", "percentile:99.99", "percentile:99.999", "entropy", "mse", "auto"};
  std::filesystem::path override_file;
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  RunSettings run;
};

/// Calibrates once, quantizes once for each calibrator and judges all variants together on the evaluation samples: each
/// is read once and the float model runs once on it. Variants are the models that quantize_model would write; `auto` takes
/// one of its candidates by its own measurement, on calibration samples, and is judged like the others. Candidates with
/// equal ranges share a variant.
/// The winner has the best task metric ("metric", else "miou", else "top1"), of equals the higher SQNR, of equals the first;
/// without a task metric the higher SQNR.
/// Memory   the weights of all variants, and per worker one sample's activations and outputs; nothing grows with the samples,
///          but the disk's temporary folder with a metric command.
/// Errors   those of quantize_model before it writes; Usage for a calibrator named twice; InvalidOption when nothing can be
///          compared or the metric command fails; InvalidData for labels or masks that do not fit; Interrupted.
[[nodiscard]] ComparisonReport compare_calibrators(const CompareOptions& options);

struct CalibrateOptions {
  std::filesystem::path model, output;
  DataOptions data;
  std::vector<std::string> targets;  ///< only what these quantize by `placement`; empty: what any target could
  PlacementOptions placement;
  RunSettings run;
  bool resume = false;  ///< go on with OUTPUT.partial if it is there
  bool overwrite = false;
};

/// One pass over the data into a calibration table. The same samples in any order, threads and shards give the same bytes.
/// Interrupted, it leaves OUTPUT.partial, a table of the samples done, and throws Interrupted.
[[nodiscard]] TableReport calibrate_model(const CalibrateOptions& options);

struct MergeTablesOptions {
  std::vector<std::filesystem::path> tables;
  std::filesystem::path output;
  bool mixed_isa = false;  ///< accept tables measured with kernels for other CPUs
  bool overwrite = false;
};

/// Adds tables of shards. Errors  TableMismatch naming the table that does not fit those before it.
[[nodiscard]] TableReport merge_tables(const MergeTablesOptions& options);

/// Errors  InvalidData when the file is no table or damaged.
[[nodiscard]] TableReport inspect_table(const std::filesystem::path& table);
/// How one value of a table is distributed. Errors  InvalidOption when the table has no such value or only its scale.
[[nodiscard]] DistributionReport inspect_table_value(const std::filesystem::path& table, const std::string& value);
/// True when the file begins like a calibration table.
[[nodiscard]] bool is_table(const std::filesystem::path& file);

struct CacheExportOptions {
  std::filesystem::path table, output;
  std::string calibrator = "entropy";
  std::string target = "tensorrt";  ///< whose version the cache names
  bool overwrite = false;
};

/// Writes a TensorRT calibration cache: a scale per value. Returns their number.
size_t export_cache(const CacheExportOptions& options);

struct CacheImportOptions {
  std::filesystem::path cache, model, output;
  bool overwrite = false;
};

/// Makes a table of a TensorRT calibration cache. Its scales are used as they are, whatever the calibrator.
/// Errors  InvalidData naming the line that cannot be read; TableMismatch when no name is a value of the model.
[[nodiscard]] CacheImportReport import_cache(const CacheImportOptions& options);

struct SensitivityOptions {
  std::filesystem::path model;
  DataOptions data;  ///< to calibrate with
  DataOptions eval;  ///< to measure on; preprocessed as `data` is
  std::string calibrator = "entropy";
  std::filesystem::path override_file;
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  RunSettings run;
};

/// What every quantized layer costs at the outputs: with it alone quantized, and with all but it; and what each quantized
/// value loses by itself. Variants are the models that quantize_model would write with the other layers excluded. Steps that
/// variants have in common with the float or the fully quantized model run once a sample.
/// Memory   float and quantized weights once, and per worker one sample's activations; nothing grows with the samples.
/// Errors   those of quantize_model before it writes; InvalidOption when no output can be compared; Interrupted.
[[nodiscard]] SensitivityReport measure_sensitivity(const SensitivityOptions& options);

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

/// "detent 0.1.0".
[[nodiscard]] std::string tool_version();
/// "detent 0.1.0" and the libraries' versions, one a line.
[[nodiscard]] std::string version_text();

}  // namespace detent
