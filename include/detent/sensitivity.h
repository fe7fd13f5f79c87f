#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/options/equalize_options.h"
#include "detent/options/format_options.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/options/weight_format.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"

namespace detent {

struct SensitivityOptions {
  std::filesystem::path model;
  DataOptions data;         ///< to calibrate with
  DataOptions eval;         ///< to measure on; preprocessed as `data` is
  bool next_token = false;  ///< layers are also scored by the cross entropy of the next token
  std::string calibrator = "auto";
  OutlierPolicy outliers = OutlierPolicy::Clip;
  std::filesystem::path override_file;
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  EqualizeOptions equalize;  ///< without bias correction
  /// Weights alone are quantized, as quantize_weights does with `data`: calibrator, outliers, overrides, format and
  /// equalize say nothing.
  std::optional<WeightFormat> weights;
  RunSettings run;
};

/// The quality that each layer and each value costs, worst first.
struct SensitivityReport {
  std::string model, target, calibrator;
  size_t calibration_samples = 0, evaluation_samples = 0;
  /// Of the samples' names and contents, as Provenance::sample_digest; "" without calibration samples.
  std::string calibration_digest, evaluation_digest;
  bool evaluation_spread = false;            ///< the evaluation samples are some that lie evenly over their source
  size_t skipped_samples = 0;                ///< unreadable, in both sets
  double sqnr_db_all = 0;                    ///< at the worst output with every layer quantized
  std::vector<ErrorReport::Output> outputs;  ///< each, with every layer quantized
  /// Metrics of tokens by Metric::name, of the float model and with every layer quantized; empty: not asked for.
  std::map<std::string, double> fp32, all;
  /// SQNRs are those of the worst output; infinite when every output is as the float model's.
  struct Layer {
    std::string name, op;
    double sqnr_db_alone = 0;    ///< when only this layer is quantized
    double sqnr_db_all_but = 0;  ///< when every layer but this one is
    double macs_share = 0;       ///< of the model's MACs, in [0, 1]; weights alone: of the elements of its weights
    std::string output;          ///< the worst when only this layer is quantized
    std::optional<double> nats_alone, nats_all_but;  ///< cross entropy a token; where it was asked for
  };
  std::vector<Layer> layers;       ///< weighted ops in INT8
  std::vector<Layer> operators;    ///< operators without weights that carry pairs for their own sake; share 0
  std::vector<LocalError> values;  ///< worst first
  size_t variants = 0;             ///< quantized models that were measured
  double plain_runs = 0;           ///< the cost of that, in runs of the float model over the same samples
  double seconds = 0;
  std::optional<EqualizeReport> equalized;  ///< absent: equalization is off
  size_t corrected_biases = 0;  ///< the float network has them too, so that what is measured is the cost of quantizing
  PlanReport plan;
  std::optional<WeightFormat> weights;     ///< weights alone: no calibrator, operators, values and histograms
  std::vector<ValueHistogram> histograms;  ///< of every quantized value, with the range that was chosen
};

/// Measures each quantized layer at the outputs, with it alone quantized and with all but it, and each quantized value
/// by the error of its own pair. Variants are the models that quantize_model would write with the other layers
/// excluded. Steps that variants have in common with the float or the fully quantized model run once a sample.
///
/// Weights alone: every layer with a weight that quantize_weights makes codes of; all variants have the same codes.
///
/// Memory   float and quantized weights once, and per worker one sample's activations; nothing grows with the samples.
/// Errors   those of quantize_model before it writes; InvalidOption when no output can be compared; Interrupted.
[[nodiscard]] DETENT_API SensitivityReport measure_sensitivity(const SensitivityOptions& options);

}  // namespace detent
