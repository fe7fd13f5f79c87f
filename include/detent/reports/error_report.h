#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "detent/base/metric.h"

namespace detent {

/// Content of an output, which decides how its agreement is counted.
enum class OutputKind {
  Float,      ///< numbers: no agreement
  Scores,     ///< one score per class: positions whose largest score is at the same class
  Signs,      ///< one score: elements with the same sign
  Integers,   ///< integers or booleans: equal elements
  Detections  ///< boxes and scores of a detector: the SQNR is that of the detections in them; no agreement
};
/// Returns "float", "scores", "signs", "integers" or "detections".
[[nodiscard]] constexpr std::string_view name_of(OutputKind kind) {
  return kind == OutputKind::Scores       ? "scores"
         : kind == OutputKind::Signs      ? "signs"
         : kind == OutputKind::Integers   ? "integers"
         : kind == OutputKind::Detections ? "detections"
                                          : "float";
}

/// Error of one model's outputs against another's, over the same samples. Each number is that of the worst output,
/// never a mean over outputs. SQNRs are in dB, infinite where the outputs are equal; an output that is 0 in FP32 has
/// none.
struct ErrorReport {
  size_t samples = 0;
  std::optional<double> sqnr_db;            ///< the lowest; absent: no output has one
  std::optional<double> cosine;             ///< the lowest of the float outputs
  std::optional<double> argmax_agreement;   ///< fraction; the lowest of outputs of kind Scores
  std::optional<double> sign_agreement;     ///< fraction; the lowest of Signs
  std::optional<double> integer_agreement;  ///< fraction of equal elements; the lowest of Integers
  struct Output {
    std::string name;
    std::optional<double> sqnr_db, cosine;  ///< of floats
    std::optional<double> agreement;        ///< fraction, counted by `kind`; absent: Float
    OutputKind kind = OutputKind::Float;
    uint64_t elements = 0, differing = 0;  ///< of integer outputs, over all samples
  };
  std::vector<Output> outputs;  ///< that were compared, in the model's order
  /// Outputs that need a node that cannot run, and what was compared instead, in a sentence; empty: there is none.
  std::string not_compared;
  /// Agreement of a detector's detections with those of FP32 that score .5 or more, which stand for the objects.
  struct Detections {
    double agreement = 0;   ///< mAP over IoU .50 to .95, fraction
    double error = 0;       ///< its standard error, by a bootstrap over the samples
    size_t shown = 0;       ///< detections of FP32
    double score_loss = 0;  ///< mean change of their scores relative to FP32's, where both models have them
  };
  std::optional<Detections> detections;  ///< absent: no detector, or FP32 finds nothing
  /// The same numbers at some steps, from 1 on, of models with states that are each fed by their own: the first, the
  /// middle and the last. The report itself is over all steps. Empty: samples are not cut into steps.
  struct AtStep {
    size_t step = 0;
    std::optional<double> sqnr_db, cosine, argmax_agreement;
  };
  std::vector<AtStep> steps;
  /// Of samples that are cut into steps: the 95 % interval of `sqnr_db`, by a jackknife over whole samples, whose steps
  /// are alike. Absent: whole samples, fewer than two, or an exact output.
  std::optional<std::pair<double, double>> sqnr_db_interval;
  std::string worst;  ///< the output with the lowest SQNR; empty: none has one
  /// Error of one sample, or of the samples of a fixed batch.
  struct Sample {
    std::string name;               ///< of a fixed batch that of its first sample
    std::optional<double> sqnr_db;  ///< of its worst output; absent: none has one
    std::optional<double> score;    ///< of the metric that decides, where it judges single samples
  };
  std::vector<Sample> by_sample;  ///< in the order of the source; empty where only sums were kept
};

/// A metric that is a number of ErrorReport.
struct ErrorMetric {
  const Metric& metric;
  std::optional<double> ErrorReport::*value;
};
inline constexpr std::array<ErrorMetric, 5> kErrorMetrics{
    {{metrics::kSqnr, &ErrorReport::sqnr_db},
     {metrics::kCosine, &ErrorReport::cosine},
     {metrics::kArgmaxAgreement, &ErrorReport::argmax_agreement},
     {metrics::kSignAgreement, &ErrorReport::sign_agreement},
     {metrics::kIntegerAgreement, &ErrorReport::integer_agreement}}};

/// Error of one quantized value in the float network, where nothing else is quantized.
struct LocalError {
  std::string value;
  double sqnr_db = 0;  ///< of the value after its pair against the value itself
};

/// A change of the model, measured against the model without it.
struct MeasuredChange {
  std::optional<double> before_db, after_db;  ///< SQNR at the outputs without and with it; absent: not measured
  bool kept = false;
  std::string reason;  ///< a clause: why it is not kept, or a remark where it is
  size_t samples = 0;  ///< that decided; 0: not measured
  double seconds = 0;
};

/// A change of the model as written. before_db and after_db are the mean of two numbers: the average SQNR of the
/// samples, and the SQNR of their average noise.
struct AcceptanceReport : MeasuredChange {
  double worst_before_db = 0, worst_after_db = 0;  ///< mean over the worst tenth of the samples
};

/// Steps after the choice of a calibrator, in the order they were tried: those of `--accuracy best`, and of FP8.
struct AccuracyReport {
  std::string level;  ///< "fast", "balanced", "best"
  struct Step : MeasuredChange {
    std::string name;     ///< "equalization", "ranges", "uint8 weights", "weights", "biases"
    std::string changed;  ///< "12 of 113 ranges"
  };
  std::vector<Step> steps;
};

/// Measurement by which the calibrator "auto" chose a candidate.
struct CalibratorMeasurement {
  struct Candidate {
    std::string calibrator;  ///< "percentile:99.9"
    double score_db = 0;     ///< mean of the samples' average SQNR and of the SQNR of their average noise
    ErrorReport error;       ///< against the float model, on the candidate's samples
    double regret_db = 0;    ///< largest distance over all values from the best candidate's SQNR of that value
  };
  std::vector<Candidate> candidates;  ///< all, unless a sample takes long
  size_t winner = 0;                  ///< index into candidates
  size_t highest = 0;  ///< index of the highest score among those measured on most samples; differs from the winner
                       ///< where both score the same within the noise and the winner has less regret
  size_t samples = 0;  ///< of the candidates measured on most
  double seconds = 0;
};

/// Quality of a quantized model.
enum class Quality {
  Good,
  Doubtful,
  Broken,
  Unknown  ///< samples were run, and nothing could be compared
};
/// Returns "good", "doubtful", "broken" or "unknown".
[[nodiscard]] constexpr std::string_view name_of(Quality quality) {
  return quality == Quality::Good       ? "good"
         : quality == Quality::Doubtful ? "doubtful"
         : quality == Quality::Broken   ? "broken"
                                        : "unknown";
}

/// Judgement of a quantized model.
struct VerdictReport {
  std::optional<Quality> quality;    ///< absent: there were no samples, or nothing was quantized
  std::vector<std::string> reasons;  ///< clauses, the worst first
  std::vector<std::string> caveats;  ///< sentences: limits of the judgement
  struct Blame {
    std::string value;
    double sqnr_db = 0;          ///< of the value after its pair
    double sqnr_db_without = 0;  ///< of the worst output when only this value has no pair
  };
  std::vector<Blame> blame;        ///< values that cost most, worst first; empty if the verdict is good
  double blame_sqnr_db = 0;        ///< of the worst output with all pairs, on the samples of `blame`
  size_t blame_samples = 0;        ///< number of them
  std::vector<std::string> cures;  ///< options to try next, the likeliest first; empty if the verdict is good
};

}  // namespace detent
