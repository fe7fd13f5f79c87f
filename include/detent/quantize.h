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
#include "detent/options/placement_options.h"
#include "detent/options/run_settings.h"
#include "detent/reports/calibration_report.h"
#include "detent/reports/equalize_report.h"
#include "detent/reports/error_report.h"
#include "detent/reports/plan_report.h"
#include "detent/reports/provenance.h"

namespace detent {

/// How much is tried for the accuracy of the written model.
enum class Accuracy : uint8_t {
  Fast,      ///< one calibrator, nothing is measured but the closing error
  Balanced,  ///< the calibrator is chosen by measuring (auto)
  Best,  ///< that with all candidates on all deciding samples, and everything that pays without labels: equalization,
         ///< ranges value by value, weights rounded by what they do to outputs, bias correction; each kept where
         ///< samples that it was not made of say so. Takes minutes
};
/// "fast", "balanced", "best".
[[nodiscard]] constexpr std::string_view name_of(Accuracy level) {
  return level == Accuracy::Fast ? "fast" : level == Accuracy::Balanced ? "balanced" : "best";
}

/// The stage behind which quantize_model() ends, to find the step that spoils a file.
enum class StopAfter : uint8_t {
  Nothing,
  Prepare,  ///< writes the float model that is quantized: folded, its opset raised, equalized, in 16-bit float types
  Plan,     ///< writes nothing: the plan that the report then has is that of plan_model(), before a bound keeps layers
            ///< float
  Ranges,   ///< writes the range of each value that gets a pair, as QuantizeOptions::override_file takes it
  Rewrite   ///< writes the quantized model before anything is checked or measured on it
};

/// Returns the stage as --stop-after has it; "" for Nothing.
[[nodiscard]] constexpr std::string_view name_of(StopAfter stage) {
  constexpr std::string_view kNames[] = {"", "prepare", "plan", "ranges", "rewrite"};
  return kNames[static_cast<size_t>(stage)];
}

struct QuantizeOptions {
  std::filesystem::path model, output;
  DataOptions data;             ///< without sources: `table` alone, and the error is not measured
  std::filesystem::path table;  ///< ranges come from this calibration table; empty: from a pass over the data
  std::string calibrator;       ///< empty: "auto" where there is data and not Accuracy::Fast, else kSafeCalibrator
  Accuracy accuracy = Accuracy::Balanced;
  OutlierPolicy outliers = OutlierPolicy::Clip;
  std::filesystem::path override_file;  ///< ranges or calibrators by value name, JSON; empty: none
  std::string target = "tensorrt";
  PlacementOptions placement;
  FormatOptions format;
  EqualizeOptions equalize;
  AccuracyBound bound;
  RunSettings run;
  bool overwrite = false;
  ExternalData external_data = ExternalData::Auto;
  StopAfter stop_after = StopAfter::Nothing;
  size_t error_samples =
      64;  ///< the closing error is measured on at most so many samples, unless `bound` names its own
};

/// Where nothing can be measured. Of the calibrators it was furthest from the best the least: src/decisions/tune.md.
inline constexpr std::string_view kSafeCalibrator = "mse";

/// Integer products on x86 CPUs without VNNI, which add two neighbouring products in 16 bits and saturate.
struct SaturationReport {
  Cpu cpu = Cpu::Any;               ///< that the file was written for
  size_t layers = 0, channels = 0;  ///< that such CPUs multiply in pairs; a channel has a scale
  size_t raised = 0;                ///< channels whose scale was raised, so that no pair of their weights can saturate
  double mean_factor = 1;           ///< by which scales were multiplied, over all channels
  int64_t unsafe_pairs = 0;         ///< pairs of weights that can saturate; 0 with Cpu::Any
  size_t unsafe_layers = 0;         ///< layers that have some
  std::optional<ErrorReport>
      error;  ///< on such CPUs, on the samples of QuantizeReport::error; absent: nothing can saturate
};

struct QuantizeReport {
  std::string model, output, target;
  std::string table;       ///< where the ranges came from; empty: measured
  std::string calibrator;  ///< that gave the ranges: the winner of `measured` where that is set
  std::optional<CalibratorMeasurement> measured;
  int64_t opset = 0, written_opset = 0;
  size_t nodes = 0;
  uintmax_t model_bytes = 0, output_bytes = 0;  ///< with external data
  size_t samples = 0, skipped_samples = 0;
  OutlierReport outliers;  ///< among them
  double calibration_seconds = 0, seconds = 0;
  double peak_mb = 0;
  size_t threads = 0;
  struct QuantizedValue {
    std::string name;
    double min = 0, max = 0;
    bool symmetric = true;
    double scale = 0;
    int32_t zero_point = 0;
    std::optional<int> group;
  };
  std::vector<QuantizedValue> values;
  std::vector<ValueHistogram> histograms;  ///< of them, with the range that was chosen; none where scales were imported
  std::optional<EqualizeReport> equalized;  ///< absent: equalization is off
  std::optional<BiasCorrectionReport> bias_correction;
  AccuracyReport accuracy;
  PlanReport plan;
  std::optional<BoundReport> bound;            ///< absent: none was asked for
  std::optional<ErrorReport> error;            ///< absent: not measured
  std::optional<SaturationReport> saturation;  ///< absent: products of the target are exact on every CPU
  std::string error_source;                    ///< the samples that it was measured on: "16 calibration samples"
  VerdictReport verdict;
  std::optional<FloatReport> floats;  ///< where what is not quantized computes in 16 bits
  std::vector<std::string> notes;
  Provenance provenance;  ///< as the file says it
};

/// Calibrates, places, rewrites, measures and writes.
/// With a bound layers stay float, the fewest and cheapest that were found to be enough; where it cannot be met the
/// best model that was measured is written and the report says so. With options.stop_after the report has the model's
/// name, and the plan.
///
/// Output   the file at `output`, whole or not at all; the same samples give the same bytes whatever the threads.
/// Memory   the model and its weights, and per worker one sample's activations, and 8 bytes per quantized value and
/// sample.
/// Errors   InvalidModel, Unsupported for what cannot be read or run; InvalidData for samples; Usage and
/// InvalidOption for
///          options that make no sense, alone or for this model; TableMismatch; CannotWrite; Interrupted.
[[nodiscard]] DETENT_API QuantizeReport quantize_model(const QuantizeOptions& options);

}  // namespace detent
