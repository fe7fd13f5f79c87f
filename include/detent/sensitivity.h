#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/base/api.h"
#include "detent/base/calibrator.h"
#include "detent/base/data_source.h"
#include "detent/base/metric.h"
#include "detent/options/equalize_options.h"
#include "detent/options/format_options.h"
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/options/weight_format.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/early_end_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"

namespace detent {

/// Options of `detent sensitivity`.
struct SensitivityOptions {
  std::filesystem::path model;
  DataOptions data;         ///< for calibration
  DataOptions eval;         ///< for measuring; preprocessed like `data`
  bool next_token = false;  ///< also score layers by the cross entropy of the next token
  /// Also score layers by the word error rate, as in EvaluationOptions; both or neither.
  std::filesystem::path transcripts, vocabulary;
  std::string calibrator = "auto";
  OutlierPolicy outliers = OutlierPolicy::Clip;
  std::filesystem::path override_file;
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  EqualizeOptions equalize;  ///< without bias correction
  /// Quantize only weights, as quantize_weights does with `data`; calibrator, outliers, overrides, format and equalize
  /// do not apply.
  std::optional<WeightFormat> weights;
  RunSettings run;
};

/// Quality that each layer and each value costs, worst first.
struct SensitivityReport {
  std::string model, target, calibrator;
  size_t calibration_samples = 0, evaluation_samples = 0;
  size_t steps = 0;  ///< of each sample, which every model takes with its own states; 0: samples are whole
  /// Digests as Provenance::sample_digest; "" without calibration samples.
  std::string calibration_digest, evaluation_digest;
  bool evaluation_spread = false;            ///< the evaluation samples are spread evenly over their source
  size_t skipped_samples = 0;                ///< unreadable, in both sets
  bool wide = false;                         ///< `..._all_but` give the layer 16-bit activations instead of floats
  double sqnr_db_all = 0;                    ///< of the worst output with every layer quantized
  std::vector<ErrorReport::Output> outputs;  ///< with every layer quantized
  /// Metrics of tokens, texts and detections by Metric::name, of the float model and with every layer quantized; empty:
  /// not requested, and no detector.
  std::map<std::string, double> fp32, all;
  /// Cost of one layer. SQNRs are those of the worst output, infinite when every output equals the float model's.
  struct Layer {
    std::string name, op;
    double sqnr_db_alone = 0;    ///< when only this layer is quantized
    double sqnr_db_all_but = 0;  ///< when every other layer is quantized, and this one float or with 16 bits (`wide`)
    double macs_share =
        0;               ///< of the model's MACs, in [0, 1]; of its weights' elements where only weights are quantized
    std::string output;  ///< name of the worst output when only this layer is quantized
    std::optional<double> nats_alone, nats_all_but;            ///< cross entropy per token, if requested
    std::optional<double> wer_alone, wer_all_but;              ///< word error rate, if requested
    std::optional<double> agreement_alone, agreement_all_but;  ///< of a recognized detector's detections
  };
  std::vector<Layer> layers;       ///< weighted operators in INT8
  std::vector<Layer> operators;    ///< operators without weights that have their own pairs; share 0
  std::vector<LocalError> values;  ///< worst first
  size_t variants = 0;             ///< number of quantized models that were measured
  double plain_runs = 0;           ///< their cost, in runs of the float model over the same samples
  double seconds = 0;
  std::optional<EqualizeReport> equalized;  ///< absent: equalization is off
  size_t corrected_biases =
      0;  ///< layers with corrected biases, in the float network too, so that only quantization is measured
  EarlyEndReport ended = {};
  PlanReport plan;
  std::optional<WeightFormat> weights;  ///< only weights are quantized: no calibrator, operators, values and histograms
  std::vector<ValueHistogram> histograms;  ///< of every quantized value, with the chosen range
};

/// A score of layers beside the SQNR, by which they are not ordered.
struct LayerScore {
  Metric metric;
  std::optional<double> SensitivityReport::Layer::*alone;
  std::optional<double> SensitivityReport::Layer::*all_but;
};
inline constexpr std::array kLayerScores{
    LayerScore{metrics::kNats, &SensitivityReport::Layer::nats_alone, &SensitivityReport::Layer::nats_all_but},
    LayerScore{metrics::kWer, &SensitivityReport::Layer::wer_alone, &SensitivityReport::Layer::wer_all_but},
    LayerScore{metrics::kDetectionAgreement, &SensitivityReport::Layer::agreement_alone,
               &SensitivityReport::Layer::agreement_all_but}};

/// Measures the outputs with each layer alone quantized and with all others quantized, and each quantized value by the
/// error of its pair. Variants are the models that quantize_model would write with the other layers excluded. Nodes
/// that a variant shares with the float or the fully quantized model run once a sample. With options.weights, layers
/// are those that quantize_weights quantizes, and all variants have the same codes.
///
/// Memory   float and quantized weights once, and per worker one sample's activations, whatever the number of samples;
///          of a detector also 3 kB a sample and variant.
/// Errors   those of quantize_model before it writes; InvalidOption when no output can be compared; Interrupted.
[[nodiscard]] DETENT_API SensitivityReport measure_sensitivity(const SensitivityOptions& options);

}  // namespace detent
