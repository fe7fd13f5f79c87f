#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/options/equalize_options.h"
#include "detent/options/evaluation_options.h"
#include "detent/options/format_options.h"
#include "detent/options/latency_options.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/detection_pictures.h"
#include "detent/reports/early_end_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/latency_report.h"
#include "detent/reports/output_report.h"
#include "detent/reports/plan_report.h"
#include "detent/reports/provenance.h"
#include "detent/sensitivity.h"

namespace detent {

struct CompareCalibratorsReport;

/// Types to compare, and the limit on the loss of a type.
struct TypeChoice {
  std::vector<std::string> names;     ///< of "int8", "fp8", "int4"
  int64_t block = 32;                 ///< of int4, as WeightFormat::block
  std::string calibrator = "auto";    ///< calibrator of int8 and fp8
  std::optional<double> max_drop;     ///< as AccuracyBound::max_drop
  std::optional<double> min_sqnr_db;  ///< at the worst output; at most one of the two
};

/// Options of every comparison of quantized models.
struct ComparedOptions {
  std::filesystem::path model;
  DataOptions data;  ///< for calibration
  EvaluationOptions evaluation;
  OutlierPolicy outliers = OutlierPolicy::Clip;
  std::filesystem::path override_file;
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  EqualizeOptions equalize;
  std::filesystem::path draw;   ///< folder of pictures with the detections of FP32 and of the winner; empty: none
  bool overwrite_draw = false;  ///< also into a folder that is not empty
  bool pictures = false;        ///< fill ComparisonReport::detections
  LatencyOptions latency;       ///< times the models; without a table
  RunSettings run;
};

/// Options of `detent compare`.
struct CompareOptions : ComparedOptions {
  std::vector<std::string> calibrators = {
      "max", "percentile:99.9", "percentile:99.99", "percentile:99.999", "entropy", "mse", "auto"};
  std::vector<std::string> targets;  ///< of compare_targets(), in place of `target`
  std::optional<size_t>
      layer_samples;  ///< number of evaluation samples on which every layer is measured with the winner
  /// Receives the report of compare_calibrators() once the candidates are judged, before the slower measurement of
  /// layers. May be empty.
  std::function<void(const CompareCalibratorsReport&)> judged;
};

/// Options of `detent compare-types`.
struct CompareTypesOptions : ComparedOptions {
  TypeChoice types;
};

/// A model of a comparison, with its scores.
struct ComparedVariant {
  std::string name;  ///< as `winner` and `ties` call it; of a float model its type
  /// Values by Metric::name; errors are those of the worst output, fractions are in [0, 1].
  std::map<std::string, double> metrics;
  std::vector<ErrorReport::Output> outputs;
  std::vector<ErrorReport::Sample> by_sample;  ///< every evaluation sample, in the order of the source
  /// Standard error of the criterion over the samples, in its unit. Absent for a metric command, which returns one
  /// number for all samples, and with fewer than two samples.
  std::optional<double> score_error;
  uintmax_t size_bytes = 0;                     ///< of the file that quantize_model would write
  double seconds = 0;                           ///< to make, run and judge the variant, on all cores
  std::optional<ComparedLatency> latency = {};  ///< absent: not asked
};

/// Members of the reports of every comparison of quantized models, which are judged on the same samples.
struct ComparisonReport {
  std::string model;
  int64_t opset = 0;
  size_t nodes = 0;  ///< of the float model
  size_t calibration_samples = 0, evaluation_samples = 0;
  size_t steps = 0;               ///< of each sample, which every model takes with its own states; 0: samples are whole
  std::string evaluation_digest;  ///< as Provenance::sample_digest
  bool evaluation_spread = false;  ///< the evaluation samples are spread evenly over their source
  size_t skipped_samples = 0;      ///< unreadable, in both sets
  double calibration_seconds = 0, evaluation_seconds = 0;
  OutlierReport outliers;              ///< among the calibration samples
  std::map<std::string, double> fp32;  ///< metrics of the float model by Metric::name; empty without a task
  std::vector<OutputReport> outputs;   ///< that were compared, in the model's order
  std::string labels;  ///< of a detector: how the boxes of --labels and of the float model are read; empty: no boxes
  /// The model cast to 16-bit floats without pairs ("fp16", "bf16"), on the same samples; not candidates. Only where
  /// nodes that are not quantized compute in 16 bits.
  std::vector<ComparedVariant> baselines;
  std::string latency_command;                   ///< as given; empty: none
  std::optional<ComparedLatency> float_latency;  ///< of the float model
  std::string winner;                            ///< name of the best variant
  std::string criterion;                         ///< the metric that decided: a key of `metrics`
  /// Candidates whose score is at most 1.96 standard errors of the difference below the winner's, without those that
  /// are the same model under another name.
  std::vector<std::string> ties;
  Provenance provenance;                        ///< of the best variant's file
  std::optional<DetectionPictures> detections;  ///< of the winner, where ComparedOptions::pictures asks; a detector's
  EarlyEndReport ended = {};
};

/// A model quantized with the ranges of one calibrator, which is its name.
struct CalibratorVariant : ComparedVariant {
  std::string takes;  ///< the calibrator that "auto" chose; empty for the others
};

/// Calibrators side by side, for one target.
struct CompareCalibratorsReport : ComparisonReport {
  std::string target;
  std::vector<CalibratorVariant> variants;  ///< in the requested order
  // the same for all variants
  std::optional<EqualizeReport> equalized;  ///< absent: equalization is off
  PlanReport plan;
  std::vector<ValueHistogram> values;       ///< every quantized value
  std::optional<SensitivityReport> layers;  ///< of the winner, if requested
};

/// A model quantized for one target. Its name is the target's, with several calibrators "TARGET CALIBRATOR".
struct TargetVariant : ComparedVariant {
  std::string target;      ///< "tensorrt:10.13"
  std::string calibrator;  ///< that gave the ranges; what "auto" chose
  PlanReport plan;         ///< without its edges and graph
  std::optional<EqualizeReport> equalized;
};

/// Targets side by side, each with each calibrator.
struct CompareTargetsReport : ComparisonReport {
  std::vector<std::string> targets;     ///< as in "tensorrt:10.13", in the requested order
  std::vector<TargetVariant> variants;  ///< in the requested order
};

/// Effect of a type on a model's weights.
struct TypeFacts {
  int64_t layers = 0,
          quantized_layers = 0;  ///< weighted operators, and those that run on (weights alone: read) codes of the type
  int64_t pairs = 0;             ///< on activations; 0: only weights are quantized
  /// Bytes in the file by type: "int8", "fp8", "int4", "int32" (biases), "float". Scales and zero points count with
  /// their codes.
  std::map<std::string, uint64_t> weight_bytes;
  std::optional<int64_t>
      block;               ///< weights under one scale, 0: a whole channel; absent: one scale per channel or tensor
  bool by_inputs = false;  ///< codes of weights preserve the layers' outputs (GPTQ) instead of being the nearest
};

/// A model quantized to one type, which is its name.
struct TypeVariant : ComparedVariant {
  std::string calibrator;  ///< that gave the ranges; empty for weights alone
  TypeFacts facts;
};

/// Losses of the compared types, and the limit that they are held against.
struct TypeLimit {
  std::string option;  ///< "--max-drop 0.01"
  bool given = false;  ///< by the user
  std::string metric;  ///< the criterion, or the SQNR for --min-sqnr
  /// Loss of the metric against FP32 by variant; for nats the rise, for the SQNR its value. NaN: not measured.
  std::vector<double> losses;
  std::string smallest;  ///< type with the smallest file within the limit; empty: none
};

/// Types side by side, for one target.
struct CompareTypesReport : ComparisonReport {
  std::string target;
  std::vector<TypeVariant> variants;           ///< in the requested order
  std::optional<EqualizeReport> equalized;     ///< for the first type with pairs; absent: equalization is off
  uint64_t model_bytes = 0, weight_bytes = 0;  ///< of the float model: its file, and its float constants
  std::optional<TypeLimit> limit;              ///< absent: the metric is a command's, and the user gave none
};

/// Calibrates once, quantizes once for each calibrator and judges all variants together: each evaluation sample is read
/// once and the float model runs once on it. Variants are the models that quantize_model would write. "auto" chooses a
/// candidate by measuring calibration samples and is judged like the others. Candidates with equal ranges share a
/// variant. The winner has the best value of the first metric of kMetrics that decides and was measured; among equals
/// the higher SQNR of the worst output, then the first. `score_error` comes from a bootstrap over the samples with a
/// fixed seed. Layers are measured with the winner as written: same equalization, ranges and biases. `draw` gets PNGs
/// of the 16 samples with the largest error of detections (among at most 200 samples, evenly spread), with the
/// detections that score .25 or more.
///
/// Memory   the weights of all variants, and per worker one sample's activations and outputs, whatever the number of
///          samples; a metric command also uses the temporary folder on disk.
/// Errors   those of quantize_model before it writes; Usage for a calibrator named twice; InvalidOption when no output
///          can be compared, the metric command fails, or there are no detections to draw; InvalidData for labels or
///          masks that do not fit; Interrupted.
[[nodiscard]] DETENT_API CompareCalibratorsReport compare_calibrators(const CompareOptions& options);

/// Compares the types of options.types: "int8" and "fp8" as quantize_model makes them, "int4" as quantize_weights does
/// with the calibration data. Each type has a separate plan and calibration. `winner` is the type with the best score;
/// `limit` names the smallest type within options.types.max_drop, else min_sqnr_db, else a drop of 0.01, or without a
/// task the SQNR of a good verdict. A type that no layer supports has a row with the float model and is neither.
///
/// Memory   as compare_calibrators, and the setup of one type at a time.
/// Errors   those of compare_calibrators and quantize_weights; Usage for no type, an unknown or repeated one,
///          two limits, and a max_drop where no score is measured.
[[nodiscard]] DETENT_API CompareTypesReport compare_types(const CompareTypesOptions& options);

/// Quantizes for each of options.targets with each of options.calibrators and judges all variants together, on the same
/// samples, as compare_calibrators() does. All targets share one calibration pass. Variants are the models that
/// quantize_model() would write for the target.
///
/// Errors   those of compare_calibrators(), beginning with the target where its options are refused; Usage for a target
///          that is named twice ("tensorrt", "tensorrt:10.13"), and for options.layer_samples.
[[nodiscard]] DETENT_API CompareTargetsReport compare_targets(const CompareOptions& options);

}  // namespace detent
