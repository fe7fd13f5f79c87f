#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "detent/base/tensor.h"
#include "detent/reports/error_report.h"
#include "outputs/output_reading.h"

namespace detent {

/// Returns the SQNR in dB: 10 log10(signal / noise), powers as sums of squares. No noise -> +infinity; no signal -> 0
/// dB without noise, else -infinity.
/// Source  Gray and Neuhoff, "Quantization", IEEE Transactions on Information Theory 44 (1998), equation 7, with the
///         power of the signal for its variance: the error of a constant counts too.
[[nodiscard]] double sqnr_db(double signal, double noise);

/// Sums over the elements of one output that metrics need. Adding samples in the same order gives the same bits.
struct ErrorSums {
  double signal = 0, noise = 0, dot = 0, candidate = 0;
  int64_t positions = 0, agreeing = 0;  ///< argmax (or sign) per position
  int64_t integers = 0, differing = 0;  ///< elements of an output that is not float
  bool by_sign = false;
  bool is_float = false;
  bool detections = false;  ///< signal and noise are those of compare_detections()
  bool by_shape = false;    ///< there was no reading
  MeaningByGraph graph = {};
  RowFacts rows = {};  ///< of some rows of the reference, where they decide the meaning

  /// Sums one sample. The argmax is taken along the axis of the reading at each position; an axis of one score, and
  /// without one in a row of one number: sign. Integers and booleans: elements that differ. Lists, strings and absent
  /// optionals: all zero.
  /// reading  nullptr: N x C x spatial... are scores of C classes.
  /// -inf in the reference, which masks a score, is in no sum; the noise is infinite if the candidate has a
  /// number above the reference's lowest finite one instead.
  /// counted  by element, row-major: 0 is padding, which is in no sum and no argmax. Empty: all count.
  /// Errors   Internal when the shapes of numbers differ.
  static ErrorSums of(const Tensor& reference, const Tensor& candidate, std::span<const uint8_t> counted = {},
                      const OutputReading* reading = nullptr);
  ErrorSums& operator+=(const ErrorSums& other);

  [[nodiscard]] OutputMeaning meaning() const;
  /// Returns nullopt where the output is not float or is 0 throughout in FP32.
  [[nodiscard]] std::optional<double> sqnr_db() const;
};

/// Returns the metrics by output, without outputs that have no sums. A model is as good as its worst output, the one
/// with the lowest SQNR (NaN is the lowest): that one is shown, bounded and compared, and there is no mean over
/// outputs, which exact ones would raise. Integer outputs have no SQNR; they count by their share of equal elements.
[[nodiscard]] ErrorReport summarize_errors(std::span<const std::string> names, std::span<const ErrorSums> sums,
                                           size_t samples);

/// 20 log10(2^24), the precision of a float. Stands for "no difference" where a mean needs a number.
inline constexpr double kExactDb = 144.5;

/// Returns the SQNR of the worst output, within +-kExactDb, to compare models by. NaN, and no output with an SQNR,
/// count as the worst.
[[nodiscard]] double worst_sqnr_db(const ErrorReport& error);

}  // namespace detent
