#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/options/accuracy_bound.h"
#include "detent/options/equalize_options.h"
#include "detent/options/external_data.h"
#include "detent/options/float_types.h"
#include "detent/options/format_options.h"
#include "detent/options/latency_options.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/bound_report.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/detection_pictures.h"
#include "detent/reports/early_end_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/input_check.h"
#include "detent/reports/latency_report.h"
#include "detent/reports/output_report.h"
#include "detent/reports/plan_report.h"
#include "detent/reports/provenance.h"

namespace detent {

/// Effort for the accuracy of the written model.
enum class Accuracy : uint8_t {
  Fast,      ///< one calibrator; only the final error is measured
  Balanced,  ///< the calibrator is chosen by measuring (auto)
  Best,  ///< all candidates on all deciding samples, then equalization, ranges value by value, weights rounded by their
         ///< effect on the outputs, and bias correction; each step is kept where held-out samples improve. Takes
         ///< minutes
};
/// Returns "fast", "balanced" or "best".
[[nodiscard]] constexpr std::string_view name_of(Accuracy level) {
  return level == Accuracy::Fast ? "fast" : level == Accuracy::Balanced ? "balanced" : "best";
}

/// Stage after which quantize_model() stops, to find the step that spoils a file.
enum class StopAfter : uint8_t {
  Nothing,
  Prepare,  ///< writes the float model that is quantized: folded, opset raised, equalized, in 16-bit float types
  Plan,     ///< writes nothing; the report has the plan of plan_model(), before a bound keeps layers float
  Ranges,   ///< writes the range of each value that gets a pair, in the format of QuantizeOptions::override_file
  Rewrite   ///< writes the quantized model, not checked and not measured
};

/// Returns the stage as --stop-after takes it; "" for Nothing.
[[nodiscard]] constexpr std::string_view name_of(StopAfter stage) {
  constexpr std::string_view kNames[] = {"", "prepare", "plan", "ranges", "rewrite"};
  return kNames[static_cast<size_t>(stage)];
}

struct QuantizeOptions {
  std::filesystem::path model, output;
  /// JSON of several files that run as one model (datasets/README.md), which may also stand for `model`: `output` is
  /// then a folder for all of them. Empty: `model` is the only file.
  std::filesystem::path pipeline;
  std::vector<std::filesystem::path> models;  ///< with `pipeline`: its files besides `model`
  DataOptions data;                           ///< without sources: `table` alone, and the error is not measured
  std::filesystem::path table;                ///< calibration table with the ranges; empty: a pass over the data
  std::string calibrator;                     ///< empty: "auto" with data unless Accuracy::Fast, else kSafeCalibrator
  Accuracy accuracy = Accuracy::Balanced;
  OutlierPolicy outliers = OutlierPolicy::Clip;
  std::filesystem::path override_file;  ///< JSON: ranges or calibrators by value name; empty: none
  std::string target = "tensorrt";
  std::vector<std::string> targets;  ///< of quantize_targets(), in place of `target`
  PlacementOptions placement;
  FormatOptions format;
  EqualizeOptions equalize;
  AccuracyBound bound;
  LatencyOptions latency;  ///< the fastest file within the accuracy is looked for
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
  StopAfter stop_after = StopAfter::Nothing;
  bool pictures = false;      ///< fill QuantizeReport::detections
  size_t error_samples = 64;  ///< limit of the samples for the final error, unless `bound` has evaluation samples
};

/// Calibrator without a measurement: its largest distance from the best is the smallest, see src/decisions/tune.md.
inline constexpr std::string_view kSafeCalibrator = "mse";

/// Saturation on x86 CPUs without VNNI, which add two neighbouring products in 16 bits.
struct SaturationReport {
  Cpu cpu = Cpu::Any;                ///< that the file was written for
  size_t layers = 0, channels = 0;   ///< whose products such CPUs add in pairs; each channel has a scale
  size_t raised = 0;                 ///< channels whose scale was raised so that no pair of weights can saturate
  double mean_factor = 1;            ///< of all channels' scales
  int64_t unsafe_pairs = 0;          ///< pairs of weights that can saturate; 0 with Cpu::Any
  size_t unsafe_layers = 0;          ///< layers with such a pair
  std::optional<ErrorReport> error;  ///< on such CPUs, on the samples of QuantizeReport::error; absent: none saturates
};

/// The files beside a float model for DLA. Layers are counted as the arguments for trtexec name them.
struct DlaFiles {
  std::string cache, arguments;                             ///< paths of OUT.cache and OUT.dla.txt
  size_t scales = 0;                                        ///< in the cache, one a float value
  size_t int8_layers = 0, fp16_layers = 0, gpu_layers = 0;  ///< DLA in INT8, DLA in FP16, GPU
};

/// One file of a pipeline.
struct PipelineFileReport {
  std::string name;           ///< in front of its values
  std::string model, output;  ///< paths
  int64_t opset = 0, written_opset = 0;
  uintmax_t model_bytes = 0, output_bytes = 0;  ///< with external data
  size_t layers = 0, int8_layers = 0;           ///< weighted
  std::optional<ErrorReport>
      error;                       ///< at the end of the pipeline with this file alone quantized; absent: not measured
  std::optional<Quality> quality;  ///< judged by that error; absent also where nothing of the file is quantized
  std::string next_command;        ///< as QuantizeReport::next_command
};

struct QuantizeReport {
  std::string model, output, target;
  std::vector<PipelineFileReport> files;  ///< of a pipeline, in running order; empty for one model
  std::string table;                      ///< path of the table with the ranges; empty: they were measured
  std::string calibrator;                 ///< of the ranges: the winner of `measured` where that is set
  std::optional<CalibratorMeasurement> measured;
  int64_t opset = 0, written_opset = 0;
  size_t nodes = 0;
  uintmax_t model_bytes = 0, output_bytes = 0;  ///< with external data
  size_t samples = 0, skipped_samples = 0;
  size_t steps = 0;        ///< of each sample; 0: samples are whole
  OutlierReport outliers;  ///< among the samples
  double calibration_seconds = 0, seconds = 0;
  double peak_mb = 0;
  struct QuantizedValue {
    std::string name;
    double min = 0, max = 0;
    bool symmetric = true;
    DataType type = DataType::Int8;  ///< of the codes
    double scale = 0;
    int32_t zero_point = 0;
    std::optional<int> group;
  };
  std::vector<QuantizedValue> values;
  std::vector<ValueHistogram> histograms;   ///< with the chosen ranges; empty where scales were imported
  std::optional<EqualizeReport> equalized;  ///< absent: equalization is off
  std::optional<BiasCorrectionReport> bias_correction;
  AccuracyReport accuracy;
  PlanReport plan;
  std::optional<BoundReport> bound;  ///< absent: none was asked for
  std::optional<ScoreReport> score;  ///< of the bound, or of the task that was given without one; absent: neither
  std::optional<ErrorReport> error;  ///< absent: not measured
  std::optional<SaturationReport> saturation;  ///< absent: no product of the target can saturate
  std::string error_source;                    ///< samples of `error`: "16 calibration samples"
  std::vector<OutputReport> outputs;           ///< that were judged, in the model's order; empty: not measured
  VerdictReport verdict;
  std::optional<FloatReport> floats;            ///< where the rest computes in 16 bits
  std::optional<DetectionPictures> detections;  ///< where QuantizeOptions::pictures asks; of a recognized detector
  std::optional<LatencyReport> latency;         ///< absent: not asked
  std::optional<DlaFiles> dla;                  ///< absent: the target takes pairs
  std::string next_command;                     ///< what builds an engine of the file; empty: nothing needs to
  std::vector<std::string> notes;
  Provenance provenance;  ///< as in the file's metadata
  EarlyEndReport ended = {};
  std::optional<InputCheckReport> input_check = {};  ///< absent: the data are no pictures, or only a table was given
};

/// Calibrates, places pairs, rewrites, measures and writes.
/// With a bound, layers stay float until it holds, the fewest and cheapest that were found to be enough. If it cannot
/// be met, the best model that was measured is written and the report says so. With options.stop_after the report has
/// only the model's name and the plan. With options.latency other files are measured, too, and the fastest one within
/// the accuracy is written: with pairs, or the float model.
///
/// With a pipeline all files are calibrated together and judged at its end: at the outputs that feed no file.
///
/// Output   the file at `output`, or all files of a pipeline, complete or not at all; the same samples give the same
/// bytes with any threads. Memory   the model and its weights; per worker one sample's activations; 8 bytes per
/// quantized value and sample. Errors   InvalidModel and Unsupported for a model that cannot be read or run;
/// InvalidData for samples; Usage and
///          InvalidOption for options that are invalid, alone or for this model; TableMismatch; CannotWrite;
///          Interrupted.
[[nodiscard]] DETENT_API QuantizeReport quantize_model(const QuantizeOptions& options);

/// The files of several targets.
struct QuantizeTargetsReport {
  std::string model;
  std::vector<QuantizeReport> targets;  ///< in the order of QuantizeOptions::targets; the first one's time has the pass
  double seconds = 0;                   ///< of all targets
  double peak_mb = 0;
};

/// Returns `path` with the target in front of its last extension: "out.tensorrt-8.6.onnx" for "out.onnx" and
/// "tensorrt:8.6". The target is spelled as it was given, with "-" for ":".
[[nodiscard]] DETENT_API std::filesystem::path path_of_target(const std::filesystem::path& path,
                                                              const std::string& target);

/// Quantizes for each of options.targets and writes path_of_target(output, target). All targets share one calibration
/// pass over the values that any of them quantizes; each file has the bytes that quantize_model() writes for the target
/// alone.
///
/// Output   all files or none: an error or an interruption leaves those of an earlier run.
/// Memory   that of quantize_model() for one target, and the plans and histograms of all.
/// Errors   those of quantize_model(), beginning with the target where its options are refused; Usage, before anything
///          is read, for no target, for one that is named twice ("tensorrt", "tensorrt:10.13"), for an output without
///          ".onnx", and for options.stop_after; CannotWrite for an output that is a file to read.
[[nodiscard]] DETENT_API QuantizeTargetsReport quantize_targets(const QuantizeOptions& options);

}  // namespace detent
