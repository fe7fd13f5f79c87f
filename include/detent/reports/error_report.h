#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detent/base/metric.h"

namespace detent {

/// What an output holds, which says what its agreement counts.
enum class OutputKind {
  Float,    ///< numbers: no agreement
  Scores,   ///< a score a class: positions with the same largest one
  Signs,    ///< one score: elements with the same sign
  Integers  ///< integers or booleans: equal elements
};
/// "float", "scores", "signs", "integers".
[[nodiscard]] constexpr std::string_view name_of(OutputKind kind) {
  return kind == OutputKind::Scores     ? "scores"
         : kind == OutputKind::Signs    ? "signs"
         : kind == OutputKind::Integers ? "integers"
                                        : "float";
}

/// Error of one model's outputs against another's, over the same samples. A model is as good as its worst output: one
/// that is exact says nothing of the others, so no number here is a mean over outputs. SQNRs are in dB, infinite where
/// the outputs are equal; an output that FP32 leaves at 0 has none.
struct ErrorReport {
  size_t samples = 0;
  std::optional<double> sqnr_db;            ///< the lowest; absent: no output has one
  std::optional<double> cosine;             ///< the lowest of the float outputs
  std::optional<double> argmax_agreement;   ///< fraction; the lowest of the outputs that are Scores
  std::optional<double> sign_agreement;     ///< fraction; the lowest of Signs
  std::optional<double> integer_agreement;  ///< fraction of equal elements; the lowest of Integers
  struct Output {
    std::string name;
    std::optional<double> sqnr_db, cosine;  ///< of floats
    std::optional<double> agreement;        ///< fraction, see `kind`; absent: Float
    OutputKind kind = OutputKind::Float;
    uint64_t elements = 0, differing = 0;  ///< of integers, over all samples
  };
  std::vector<Output> outputs;  ///< that were compared, in the model's order
  std::string worst;            ///< the output with the lowest SQNR; empty: none has one
};

/// A number of ErrorReport that is a metric.
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

/// The error that one quantized value's own pair makes, everything else being float.
struct LocalError {
  std::string value;
  double sqnr_db = 0;  ///< of the value after its own pair against the value itself, in the float network
};

/// A change of the model, measured beside the model without it.
struct MeasuredChange {
  std::optional<double> before_db, after_db;  ///< SQNR at the outputs without and with it; absent: not measured
  bool kept = false;
  std::string reason;  ///< a clause: why it is not kept, or what to know where it is
  size_t samples = 0;  ///< that decided; 0: nothing was measured
  double seconds = 0;
};

/// A change of the model as it would be written. before_db and after_db are half the mean of the samples' SQNRs and
/// half the SQNR of their mean noise.
struct AcceptanceReport : MeasuredChange {
  double worst_before_db = 0, worst_after_db = 0;  ///< mean over the worst tenth of the samples
};

/// The steps beyond the choice of a calibrator, in the order they were tried: those of `--accuracy best`, and of FP8.
struct AccuracyReport {
  std::string level;  ///< "fast", "balanced", "best"
  struct Step : MeasuredChange {
    std::string name;     ///< "equalization", "ranges", "uint8 weights", "weights", "biases"
    std::string changed;  ///< what: "12 of 113 ranges"
  };
  std::vector<Step> steps;
};

/// The measurement by which the calibrator "auto" chose one of its candidates.
struct CalibratorMeasurement {
  struct Candidate {
    std::string calibrator;  ///< "percentile:99.9"
    double score_db = 0;     ///< half the mean of the samples' SQNRs, half the SQNR of their mean noise
    ErrorReport error;       ///< against the float model, on the samples that it was measured on
    double regret_db = 0;    ///< how far its worst value lies below the best that any candidate does for that value
  };
  std::vector<Candidate> candidates;  ///< that were measured: all, unless one sample takes long
  size_t winner = 0;                  ///< index into candidates
  size_t highest = 0;                 ///< index of the highest score, among those measured longest; another than the
                       ///< winner where the samples cannot tell the two and the winner is safer over values
  size_t samples = 0;  ///< of those measured longest
  double seconds = 0;
};

/// What a quantized model is worth.
enum class Quality { Good, Doubtful, Broken };
/// "good", "doubtful", "broken".
[[nodiscard]] constexpr std::string_view name_of(Quality quality) {
  return quality == Quality::Good ? "good" : quality == Quality::Doubtful ? "doubtful" : "broken";
}

struct VerdictReport {
  std::optional<Quality> quality;    ///< absent: the error was not measured, or there is nothing to measure
  std::vector<std::string> reasons;  ///< clauses: what it rests on, the worst first
  std::vector<std::string> caveats;  ///< sentences: what one must know to trust it
  struct Blame {
    std::string value;
    double sqnr_db = 0;          ///< of the value behind its own pair
    double sqnr_db_without = 0;  ///< of the worst output, when this value alone has no pair
  };
  std::vector<Blame> blame;  ///< the values that cost most, worst first; measured unless it is good
  double blame_sqnr_db = 0;  ///< of the worst output with all pairs, on the samples that the blame was measured on
  std::vector<std::string> cures;  ///< options to try next, the likeliest first; unless it is good
};

}  // namespace detent
