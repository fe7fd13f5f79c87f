#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/options/evaluation_options.h"

namespace detent {

/// Limit on what quantization may cost; at most one of the two.
struct AccuracyBound {
  std::optional<double>
      max_drop;  ///< largest loss of the score, as a fraction (0.01 is one point); of nats: largest rise
  std::optional<double> min_sqnr_db;  ///< smallest SQNR at every output
  EvaluationOptions evaluation;       ///< samples to judge on; by default for min_sqnr_db: the calibration data

  [[nodiscard]] bool given() const { return max_drop || min_sqnr_db; }
};

/// Result of an AccuracyBound, and the layers that stay float for it, or get 16-bit activations.
struct BoundReport {
  std::string bound;  ///< the option and its value
  bool met = false;
  bool wide = false;                         ///< `kept` has 16-bit activations: the engine runs no floats
  std::string metric;                        ///< Metric::name of the bounded metric
  std::optional<double> fp32;                ///< of the float model; absent for the SQNR
  double all_int8 = 0;                       ///< with nothing kept float
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
