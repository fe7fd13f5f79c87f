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
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"
#include "detent/reports/provenance.h"
#include "detent/sensitivity.h"

namespace detent {

struct ComparisonReport;

/// Types of codes to put side by side, and how much one of them may lose.
struct TypeChoice {
  std::vector<std::string> names;     ///< of "int8", "fp8", "int4"
  int64_t block = 32;                 ///< of int4, as WeightFormat::block
  std::string calibrator = "auto";    ///< of int8 and fp8
  std::optional<double> max_drop;     ///< of the score, as AccuracyBound has it
  std::optional<double> min_sqnr_db;  ///< at the worst output; at most one of the two
};

struct CompareOptions {
  std::filesystem::path model;
  DataOptions data;  ///< to calibrate with
  EvaluationOptions evaluation;
  std::vector<std::string> calibrators = {
      "max", "percentile:99.9", "percentile:99.99", "percentile:99.999", "entropy", "mse", "auto"};
  OutlierPolicy outliers = OutlierPolicy::Clip;
  std::filesystem::path override_file;
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  EqualizeOptions equalize;
  TypeChoice types;                     ///< compare_types() only
  std::optional<size_t> layer_samples;  ///< how many evaluation samples to measure every layer on, with the winner
  /// Gets the report when the candidates are judged, before layers are measured, which takes longer. Empty: nobody
  /// wants it.
  std::function<void(const ComparisonReport&)> judged;
  RunSettings run;
};

/// What a type makes of a model's weights.
struct TypeFacts {
  int64_t layers = 0,
          quantized_layers =
              0;      ///< operators with weights, and those that run on codes of the type or, weights alone, read them
  int64_t pairs = 0;  ///< on activations; 0: weights alone
  /// In the file, by type: "int8", "fp8", "int4", "int32" (biases), "float". Scales and zero points count with their
  /// codes.
  std::map<std::string, uint64_t> weight_bytes;
  std::optional<int64_t> block;  ///< rows under one scale, 0 for all; absent: one scale a channel or tensor
  bool by_inputs = false;        ///< codes of weights are those that keep what layers put out, not the nearest
};

/// What compare_types() says besides scores.
struct TypeComparison {
  uint64_t model_bytes = 0, weight_bytes = 0;  ///< of the float model: its file, and its float constants
  std::string limit;         ///< "--max-drop 0.01"; empty: a metric command's number, and no limit was given
  bool limit_given = false;  ///< by the user
  std::string metric;        ///< that the limit speaks of: the criterion, or the SQNR for --min-sqnr
  /// By variant: what it lost of the metric against FP32, of nats what it gained; of the SQNR what it has. Empty
  /// without a limit.
  std::vector<double> losses;
  std::string smallest;  ///< of those within the limit the one with the smallest file; empty: there is none
};

/// Several quantized variants of one model, judged on the same samples.
struct ComparisonReport {
  std::string model, target;
  size_t calibration_samples = 0, evaluation_samples = 0;
  std::string evaluation_digest;   ///< of the evaluation samples, as Provenance::sample_digest
  bool evaluation_spread = false;  ///< the evaluation samples are some that lie evenly over their source
  size_t skipped_samples = 0;      ///< unreadable, in both sets
  double calibration_seconds = 0, evaluation_seconds = 0;
  OutlierReport outliers;              ///< among the calibration samples
  std::map<std::string, double> fp32;  ///< metrics of the float model by Metric::name; empty without labels
  struct Variant {
    std::string calibrator;
    std::string takes;  ///< the calibrator that "auto" chose; empty for the others
    /// By Metric::name; errors of the worst output each, fractions in [0, 1].
    std::map<std::string, double> metrics;
    std::vector<ErrorReport::Output> outputs;
    /// Standard error of the criterion over the samples, in its unit: how much it would vary with other samples of the
    /// same kind. Absent for a metric command, which gives one number for all samples, and with fewer than two samples.
    std::optional<double> score_error;
    uintmax_t size_bytes = 0;       ///< of the file that quantize_model would write
    double seconds = 0;             ///< making, running and judging this variant; all cores together
    std::optional<TypeFacts> type;  ///< compare_types() only; `calibrator` is then the type's name
  };
  std::vector<Variant> variants;  ///< in the order asked for
  /// The model cast to 16-bit floats without pairs, "fp16" and "bf16", on the same samples: no candidates for the best.
  /// Where what is not quantized computes in 16 bits.
  std::vector<Variant> baselines;
  std::optional<EqualizeReport> equalized;  ///< the same for all variants; absent: equalization is off
  std::string winner;                       ///< calibrator of the best variant
  std::string criterion;                    ///< the metric that decided: a key of `metrics`
  /// Candidates that the samples cannot tell from the winner: their score lies below its by no more than 1.96 standard
  /// errors of the difference. Not those that are the winner's model under another name.
  std::vector<std::string> ties;
  Provenance provenance;                    ///< as the file of the best variant would say it
  PlanReport plan;                          ///< the same for all variants
  std::vector<ValueHistogram> values;       ///< every quantized value
  std::optional<SensitivityReport> layers;  ///< of the winner, where they were asked for
  std::optional<TypeComparison> types;      ///< compare_types() only
};

/// Calibrates once, quantizes once for each calibrator and judges all variants together on the evaluation samples: each
/// is read once and the float model runs once on it. Variants are the models that quantize_model would write; "auto"
/// takes one of its candidates by its own measurement, on calibration samples, and is judged like the others.
/// Candidates with equal ranges share a variant. The winner has the best value of the first of kMetrics that decides
/// and was measured, of equals the higher SQNR of the worst output, of equals the first. How sure that is:
/// `score_error`, by a bootstrap over the samples with a fixed seed, and `ties`. Layers are measured with the winner as
/// it would be written: same equalization, ranges and biases.
///
/// Memory   the weights of all variants, and per worker one sample's activations and outputs; nothing grows with the
/// samples,
///          but the disk's temporary folder with a metric command.
/// Errors   those of quantize_model before it writes; Usage for a calibrator named twice; InvalidOption when nothing
/// can be
///          compared or the metric command fails; InvalidData for labels or masks that do not fit; Interrupted.
[[nodiscard]] DETENT_API ComparisonReport compare_calibrators(const CompareOptions& options);

/// The same for the types of options.types, each quantized once: "int8" and "fp8" as quantize_model does, "int4" as
/// quantize_weights does with the calibration data. Each type has its own plan and is calibrated for itself. `winner`
/// is the type with the best score, `types` says which is the smallest within a limit: options.types.max_drop, else
/// min_sqnr_db; without either a drop of 0.01, and where no task is judged the SQNR of a good verdict. A type that no
/// layer takes leaves the float model: it has a row, but is neither. `values`, `layers` and all but the head of `plan`
/// stay empty: they differ by type.
///
/// Memory   as for calibrators, and the setup of one type at a time.
/// Errors   those of compare_calibrators and quantize_weights; Usage for no type, an unknown one, one that is named
/// twice, for
///          options.layer_samples, two limits, and a max_drop where no score is measured.
[[nodiscard]] DETENT_API ComparisonReport compare_types(const CompareOptions& options);

}  // namespace detent
