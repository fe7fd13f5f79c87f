#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace detent {

/// A score of the quantized and of the float model on the same samples, with the error of their difference.
struct ScoreReport {
  std::string metric;               ///< Metric::name
  std::optional<double> fp32 = {};  ///< of the float model; absent for the SQNR
  double quantized = 0;             ///< of the written model
  std::optional<double> drop = {};  ///< loss against FP32 in the metric's unit, below 0 a gain; absent for the SQNR
  /// 95 % interval of the drop, or of the SQNR itself: on other samples of the same kind, and in an engine that rounds
  /// sums otherwise. Absent for a metric command, which gives one number for all samples, and below two samples.
  std::optional<std::pair<double, double>> interval = {};
  /// The part of the interval's standard error that other rounding of sums causes; absent without an interval.
  std::optional<double> rounding_error = {};
  size_t samples = 0;
  std::string labels = {};  ///< of a detector: how the boxes of --labels and of the float model are read; empty: none
};

/// Outcome of a measurement under a bound.
enum class BoundOutcome : uint8_t {
  Holds,     ///< the whole interval is within the bound
  NotShown,  ///< the measured score is, the interval is not or is not known
  Broken     ///< the measured score is not
};

/// Returns "holds", "not shown" or "broken".
[[nodiscard]] constexpr std::string_view name_of(BoundOutcome outcome) {
  return outcome == BoundOutcome::Holds ? "holds" : outcome == BoundOutcome::NotShown ? "not shown" : "broken";
}

/// Result of an AccuracyBound, and the layers that stay float for it, or get 16-bit activations.
struct BoundReport {
  std::string bound;           ///< the option and its value
  std::string codes = "INT8";  ///< the type of codes that layers get, in words
  bool met = false;            ///< by the measured score: `outcome` is not Broken
  BoundOutcome outcome = BoundOutcome::Broken;
  ScoreReport score;  ///< of the written model
  /// Samples on which the interval would lie within the bound if the score stayed the same, to two digits; only where
  /// the outcome is NotShown, and the score is not at the bound itself.
  std::optional<size_t> samples_needed;
  bool wide = false;                         ///< `kept` has 16-bit activations: the engine runs no floats
  std::string metric;                        ///< Metric::name of the bounded metric
  std::optional<double> fp32;                ///< of the float model; absent for the SQNR
  double all_int8 = 0;                       ///< with nothing kept float for it
  double reached = 0;                        ///< by the written model
  double sqnr_db_all_int8 = 0, sqnr_db = 0;  ///< at the worst output
  std::string output;                        ///< name of the worst output, where several were measured
  /// Under a bound on the SQNR: metrics of labels, masks or tokens, of the written and of the float model.
  std::map<std::string, double> metrics, fp32_metrics;
  struct Kept {
    std::string name, op;
    std::string reason;     ///< a clause: "INT8 costs 1.2 dB; ..." and the bound
    bool weighted = true;   ///< false: an operator without weights that has its own pairs
    double macs_share = 0;  ///< of the model's MACs that stay float for it, or get 16-bit activations; in [0, 1]
  };
  std::vector<Kept> kept;
  size_t samples = 0;       ///< that were judged
  size_t measurements = 0;  ///< quantized models that were run, most of them on a part of the samples
  double seconds = 0;
};

}  // namespace detent
