#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/reports.h"

namespace detent {

/// The distribution of one value over the calibration samples, for a chart.
struct ValueHistogram {
  std::string name;
  std::string op;                 ///< of the node that makes it; "input" for a graph input
  uint64_t count = 0, zeros = 0;  ///< finite elements, and those that count as zero only
  double min = 0, max = 0;
  double first = 0, width = 0;  ///< lower edge of bins[0] and width of every bin, real units
  std::vector<uint64_t> bins;   ///< at most 256, without the zeros; empty when nothing but zeros was seen
  struct ChosenRange {
    std::string calibrator;
    double min = 0, max = 0;
  };
  std::vector<ChosenRange> ranges;  ///< what every candidate chose
};

/// What `detent compare` found: several quantized variants of one model, judged on the same samples.
struct ComparisonReport {
  std::string model, target;
  size_t calibration_samples = 0, evaluation_samples = 0;
  size_t skipped_samples = 0;  ///< unreadable, in both sets
  double calibration_seconds = 0, evaluation_seconds = 0;
  std::map<std::string, double>
      fp32;  ///< metrics of the float model: "top1", "miou", "metric" ...; empty without labels
  struct Variant {
    std::string calibrator;
    std::string takes;  ///< what "auto" chose; empty for the others
    /// "sqnr_db", "cosine", "argmax_agreement" or "sign_agreement", "top1", "top5", "miou", "metric"; fractions in [0, 1].
    std::map<std::string, double> metrics;
    std::vector<ErrorReport::Output> outputs;
    uintmax_t size_bytes = 0;  ///< of the file that `quantize` would write
    double seconds = 0;        ///< making, running and judging this variant; all cores together
  };
  std::vector<Variant> variants;            ///< in the order asked for
  std::optional<EqualizeReport> equalized;  ///< the same for all variants; absent: --equalize off
  std::string winner;                       ///< calibrator of the best variant
  std::string criterion;                    ///< the metric that decided: a key of `metrics`
  PlanReport plan;                          ///< the same for all variants
  std::vector<ValueHistogram> values;       ///< every quantized value
};

/// What `detent sensitivity` found, worst first.
struct SensitivityReport {
  std::string model, target, calibrator;
  size_t calibration_samples = 0, evaluation_samples = 0;
  size_t skipped_samples = 0;  ///< unreadable, in both sets
  double sqnr_db_all = 0;      ///< at the output with every layer quantized
  /// SQNRs are means over the outputs, each within +-144.5 dB; infinite when every output is as the float model's.
  struct Layer {
    std::string name, op;
    double sqnr_db_alone = 0;    ///< at the output when only this layer is quantized
    double sqnr_db_all_but = 0;  ///< when every layer but this one is
    double macs_share = 0;       ///< of the model's MACs, in [0, 1]
  };
  std::vector<Layer> layers;     ///< weighted ops in INT8
  std::vector<Layer> operators;  ///< operators without weights that carry pairs for their own sake; share 0
  struct LocalError {
    std::string value;
    double sqnr_db = 0;  ///< of the value after its own pair against the value itself, in the float network
  };
  std::vector<LocalError> values;  ///< worst first
  size_t variants = 0;             ///< quantized models that were measured
  double plain_runs = 0;           ///< what that took, in runs of the float model over the same samples
  double seconds = 0;
  std::optional<EqualizeReport> equalized;  ///< absent: --equalize off
  PlanReport plan;
  std::vector<ValueHistogram> histograms;  ///< of every quantized value, with the range that was chosen
};

}  // namespace detent
