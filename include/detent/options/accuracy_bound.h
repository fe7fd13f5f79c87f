#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detent/options/evaluation_options.h"

namespace detent {

/// How much quantization may cost. At most one of the two.
struct AccuracyBound {
  std::optional<double> max_drop;  ///< of the score, absolute, as a fraction: 0.01 is one point; of nats how many more
  std::optional<double> min_sqnr_db;  ///< at every output
  EvaluationOptions evaluation;       ///< samples of both; for min_sqnr_db the calibration data by default

  [[nodiscard]] bool given() const { return max_drop || min_sqnr_db; }
};

/// How an AccuracyBound was kept, and the layers that stay float for it.
struct BoundReport {
  std::string bound;  ///< its name and value, as messages and documents give it
  bool met = false;
  std::string metric;                        ///< Metric::name of what the bound speaks of
  std::optional<double> fp32;                ///< of the float model; absent for the SQNR
  double all_int8 = 0;                       ///< with nothing kept float
  double reached = 0;                        ///< by the written model
  double sqnr_db_all_int8 = 0, sqnr_db = 0;  ///< at the worst output
  std::string output;                        ///< that output's name, where several were measured
  /// With labels, masks or tokens beside a bound on the SQNR: their metrics, of the written and of the float model.
  std::map<std::string, double> metrics, fp32_metrics;
  struct Kept {
    std::string name, op;
    std::string reason;     ///< a phrase: "INT8 costs 1.2 dB; ..." and the bound
    bool weighted = true;   ///< a layer; false: an operator with pairs of its own
    double macs_share = 0;  ///< of the model's MACs that are float because of it, in [0, 1]
  };
  std::vector<Kept> kept;
  size_t samples = 0;       ///< that were judged
  size_t measurements = 0;  ///< quantized models that were run, most of them over a part of the samples
  double seconds = 0;
};

}  // namespace detent
